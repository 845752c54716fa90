/** A bare clone on a machine that has Node and npm alone: `npm start` does the rest, and tells what it can't do in one sentence. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { awaitAddress, endingOf, root } from '../support/program.ts'

/** The machine's own PATH: without what `npm test` put before it for its own Node and its own packages. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const closedPort = 'http://127.0.0.1:1/'
/** As after a first start: whatever it needs from the network, it does not get. */
const cutOff = { npm_config_offline: 'true', npm_config_registry: closedPort, HTTPS_PROXY: closedPort }

const page = readFileSync(join(root, 'README.md'), 'utf8')
/** What it tells to paste, and the token it tells to start with. */
const readme = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('')
const token = /GUILDHALL_ADMIN_TOKEN=(\S+) npm start/.exec(page)![1]

describe('a clone', () => {
  let place: string
  let clone: string
  const started: ChildProcess[] = []
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-clone-'))
    clone = join(place, 'guildhall')
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, clone])
  })
  after(async () => {
    for (const child of started) if (child.exitCode === null && child.signalCode === null) killGroup(child)
    await rm(place, { recursive: true, force: true })
  })

  /** The server is a grandchild. */
  const killGroup = ({ pid }: ChildProcess) => process.kill(-pid!, 'SIGKILL')

  const run = (file: string, words: string[], extra: NodeJS.ProcessEnv, folder = clone) => {
    const { HOME, TMPDIR, GUILDHALL_EXECUTOR_WITHOUT } = process.env
    const child = spawn(file, words, {
      cwd: folder,
      env: {
        PATH: path,
        HOME,
        TMPDIR,
        GUILDHALL_EXECUTOR_WITHOUT,
        GUILDHALL_PORT: '0',
        GUILDHALL_EXECUTORS: '0',
        ...extra,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    started.push(child)
    return child
  }
  const start = (extra: NodeJS.ProcessEnv) => run('npm', ['start'], { GUILDHALL_DATA: join(clone, 'data'), ...extra })

  it('answers after npm start, with nothing else done, and does what the README says', async (t) => {
    const startedAt = Date.now()
    const environment = { npm_config_prefer_offline: 'true', GUILDHALL_EXECUTORS: '1', GUILDHALL_ADMIN_TOKEN: token }
    const server = await awaitAddress(start(environment))
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    t.diagnostic(`first start: ${Date.now() - startedAt} ms`)
    assert.match(server.output(), /sign in as admin with the password \w{20}/)
    const pasted = readme.replaceAll('localhost:8080', new URL(server.url).host).replace('10000', '30000')
    const { code, out, err } = await endingOf(run('bash', ['-euo', 'pipefail', '-c', pasted], {}))
    assert.equal(code, 0, err)
    assert.match(out, /"Result":1,.*"full_name":"admin\/hello".*"name":"books".*\{\}$/s)
    assert.match(err, /HEAD -> main/)
    assert.match(String(await readFile(join(clone, 'books.xlsx'))), /^PK/)
    for (const file of ['books.xlsx', 'problem.json']) await rm(join(clone, file))
    const ended = once(server.child, 'close')
    server.child.kill('SIGTERM')
    await ended
    await assert.rejects(fetch(`${server.url}/healthz`))
    assert.equal(execFileSync('git', ['-C', clone, 'status', '--porcelain'], { encoding: 'utf8' }), '')
  })

  it('starts again without set-up and without the network', async (t) => {
    const startedAt = Date.now()
    const server = await awaitAddress(start(cutOff))
    t.diagnostic(`second start: ${Date.now() - startedAt} ms`)
    assert.doesNotMatch(server.output(), /installing|fetching|password/)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    process.kill(-server.child.pid!, 'SIGTERM')
    await once(server.child, 'close')
  })

  it('stops serving when the script that started it is killed', async () => {
    const server = await awaitAddress(
      run('node', ['scripts/ready.mjs', 'start', '--', 'src/cli.ts', 'serve'], { GUILDHALL_DATA: join(clone, 'data') }),
    )
    // The pipes close when the server, who has them too, is gone.
    const closed = once(server.child, 'close')
    server.child.kill('SIGKILL')
    await closed
    await assert.rejects(fetch(`${server.url}/healthz`))
  })

  it('ends as the program it runs ended', async () => {
    const ready = ['scripts/ready.mjs', 'start', '--', 'src/cli.ts']
    assert.equal((await endingOf(run('node', [...ready, '--help'], {}))).code, 0)
    assert.equal((await endingOf(run('node', [...ready, 'nonsense'], {}))).code, 2)
    const server = await awaitAddress(run('node', [...ready, 'serve'], { GUILDHALL_DATA: join(clone, 'data') }))
    assert.equal(await server.end('SIGTERM'), 0)
  })

  /** What a set-up needs to begin: the script, the list of packages and their lock. */
  async function makeBare(name: string): Promise<string> {
    const folder = join(place, name)
    await mkdir(folder)
    await cp(join(clone, 'scripts'), join(folder, 'scripts'), { recursive: true })
    for (const file of ['package.json', 'package-lock.json']) await copyFile(join(clone, file), join(folder, file))
    return folder
  }
  async function refuse(child: ChildProcess, says: RegExp): Promise<void> {
    const { code, out, err } = await endingOf(child)
    assert.deepEqual([code, out], [1, ''], err)
    const sentences = err.split('\n').filter((line) => line !== '' && !line.endsWith('…'))
    assert.equal(sentences.length, 1, err)
    assert.match(sentences[0]!, /^guildhall: /)
    assert.match(sentences[0]!, says)
  }
  const setUp = (folder: string, extra: NodeJS.ProcessEnv = {}) =>
    run('node', ['scripts/ready.mjs', 'start'], { ...cutOff, ...extra }, folder)

  it('tells in one sentence that the lock is missing or broken', async () => {
    const folder = await makeBare('broken-lock')
    await writeFile(join(folder, 'package-lock.json'), '{ "lockfileVersion": 3, "packages"')
    await refuse(setUp(folder), /The packages could not be installed: \S/)
    await rm(join(folder, 'package-lock.json'))
    await refuse(setUp(folder), /package-lock\.json can't be read \(ENOENT\)/)
    assert.ok(!existsSync(join(folder, '.ready.lock')))
  })

  it('tells in one sentence that npm can not fetch, or is not there, and tries again the next time', async () => {
    const folder = await makeBare('no-network')
    await refuse(setUp(folder, { npm_config_cache: join(place, 'empty-cache') }), /could not be installed: \S/)
    const bin = join(place, 'bin')
    await mkdir(bin)
    await copyFile(process.execPath, join(bin, 'node'))
    await refuse(setUp(folder, { PATH: bin }), /could not be installed: there is no npm here/)
    assert.ok(!(await readdir(folder)).includes('.ready.lock'))
  })

  it('tells in one sentence that its folder can not be written', async () => {
    const folder = await makeBare('read-only')
    // Root may write everywhere, so there the set-up runs as nobody, with a Node that nobody may run.
    await chmod(place, 0o755)
    const node = join(place, 'bin', 'node')
    await chmod(folder, 0o555)
    const asNobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    const child = spawn(node, ['scripts/ready.mjs', 'start'], {
      cwd: folder,
      env: { PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...asNobody,
    })
    await refuse(child, /can't be written \(EACCES\)/)
    await chmod(folder, 0o755)
  })
})
