/** A push that was answered is on the disk: git tells what it has synced, and the system what the server has. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import fs, { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { commit, type GitServer, startGitServer } from './git-server.ts'

const systemPath = process.env.PATH
const { open } = fs

/** The system's git, made to write down what it does. A push it ends a while after it has said its last word. */
async function traceGit(place: string): Promise<void> {
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh
GIT_TRACE2_EVENT='${place}/trace' '${git}' "$@"
code=$?
case "$*" in *'receive-pack --stateless-rpc .') sleep 0.3; echo ended >> '${place}/ended';; esac
exit $code
`
  await writeFile(join(place, 'git'), script)
  await chmod(join(place, 'git'), 0o755)
  process.env.PATH = `${place}${delimiter}${systemPath}`
}

/** Notes each file or folder that this process has synced. */
function watchSyncs(synced: string[]): void {
  fs.open = (async (path, ...rest) => {
    const file = await open(path, ...rest)
    const sync = file.sync.bind(file)
    file.sync = async () => {
      await sync()
      synced.push(String(path))
    }
    return file
  }) as typeof open
  syncBuiltinESMExports()
}

describe('a push that was answered', () => {
  let { work, url, ann, folderOf, stop } = {} as GitServer
  let place: string
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-traced-'))
    ;({ work, url, ann, folderOf, stop } = await startGitServer())
  })
  after(async () => {
    await stop()
    await rm(place, { recursive: true, force: true })
  })

  for (const [fileCount, writer] of [
    [1, 'unpack-objects'],
    [150, 'index-pack'],
  ] as const) {
    test(`has its objects and its ref synced, and their names, when git has ended (${writer})`, async (t) => {
      const name = `synced-${fileCount}`
      await ann.post('/user/repos', { name })
      const folder = await work()
      for (let i = 0; i < fileCount; i++) await writeFile(join(folder.path, `file${i}`), `${i}\n`)
      await folder.must('add', '.')
      await commit(folder, 'one')
      const synced: string[] = []
      t.after(() => {
        process.env.PATH = systemPath
        fs.open = open
        syncBuiltinESMExports()
      })
      watchSyncs(synced)
      await traceGit(place)
      const client = spawn('git', ['push', '--quiet', url(`ann/${name}`), 'main:refs/heads/a/b'], {
        cwd: folder.path,
        env: { ...process.env, PATH: systemPath },
      })
      const code = await new Promise((resolve) => client.on('close', resolve))
      assert.equal(await readFile(join(place, 'ended'), 'utf8').catch(() => ''), 'ended\n')
      assert.equal(code, 0)
      const flushes = countFlushes(await readFile(join(place, 'trace'), 'utf8'))
      assert.ok(flushes(writer) >= 1, 'the objects')
      assert.ok(flushes('receive-pack') >= 1, 'the ref')
      const home = await folderOf(`ann/${name}`)
      for (const each of ['refs/heads/a', 'refs/heads', 'refs', 'objects'])
        assert.ok(synced.includes(join(home, each)), each)
      await Promise.all(['ended', 'trace'].map((file) => rm(join(place, file))))
    })
  }

  test('over REST has its objects and its ref synced, and their names', async (t) => {
    await ann.post('/user/repos', { name: 'put', auto_init: true })
    const home = await folderOf('ann/put')
    const synced: string[] = []
    t.after(() => {
      process.env.PATH = systemPath
      fs.open = open
      syncBuiltinESMExports()
    })
    watchSyncs(synced)
    await traceGit(place)
    const { status, body } = await ann.put('/repos/ann/put/contents/a/b', { message: 'm', content: 'aGVsbG8K' })
    assert.equal(status, 201)
    const flushes = countFlushes(await readFile(join(place, 'trace'), 'utf8'))
    assert.ok(flushes('unpack-objects') >= 1, 'the objects')
    assert.ok(flushes('update-ref') >= 1, 'the ref')
    const folders = [body.commit.sha, body.content.sha].map((sha) => `objects/${sha.slice(0, 2)}`)
    for (const each of ['refs/heads', 'refs', 'objects', ...folders]) assert.ok(synced.includes(join(home, each)), each)
  })
})

/** How often the processes of git that were started with a word had the disk write down what it held. */
function countFlushes(trace: string): (word: string) => number {
  const events = trace
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return (word) => {
    const started = events.filter(({ event, argv }) => event === 'start' && argv.includes(word))
    const processes = new Set(started.map(({ sid }) => sid))
    return events
      .filter(({ sid, key }) => processes.has(sid) && key === 'fsync/hardware-flush')
      .reduce((sum, { value }) => sum + Number(value), 0)
  }
}
