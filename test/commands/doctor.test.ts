/** `doctor`: it tells what it finds, advises where something is missing, and changes nothing. */
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeMigratedDatabase } from '../support/engines.ts'
import { runProgram, startProgram } from '../support/program.ts'

describe('doctor', () => {
  let place: string
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-doctor-'))
  })
  after(() => rm(place, { recursive: true, force: true }))

  it('reports on all that serving and judging need, without making the data folder', async () => {
    const { code, out, err } = await runProgram(['doctor'], { GUILDHALL_DATA: join(place, 'data') })
    assert.deepEqual([code, err], [0, ''])
    for (const name of ['Node', 'git', 'data folder', 'database', 'bubblewrap', 'sandbox', 'cgroup']) {
      assert.match(out, new RegExp(`^(ok  |note)  ${name} `, 'm'))
    }
    if (process.getuid?.() === 0) assert.match(out, /^ok {4}users +boxes run as \d+ to \d+, .* of \d+ blocks/m)
    for (const name of ['C', 'C\\+\\+', 'Java', 'Python', 'JavaScript', 'TypeScript', 'Go', 'Rust']) {
      assert.match(out, new RegExp(`^(ok  |note)  ${name} `, 'm'))
    }
    assert.match(out, /^note {2}data folder .*is not there yet: serve would begin a new one in it\.\n +→ .*mounted/m)
    assert.deepEqual(await readdir(place), [])
  })

  it('says that a folder is empty, and when there is an installation in it no more of that', async () => {
    const ask = (folder: string) => runProgram(['doctor'], { GUILDHALL_DATA: folder, PATH: place })
    const empty = await mkdtemp(join(place, 'mount-'))
    assert.match((await ask(empty)).out, /^note {2}data folder .*holds no installation yet/m)
    const server = await startProgram({ GUILDHALL_DATA: empty })
    const served = await ask(empty)
    await server.end('SIGTERM')
    assert.match(served.out, /^ok {4}data folder .* GiB free$/m)
    assert.match(served.out, /^ok {4}database +SQLite answers$/m)
    await rm(join(empty, 'installation-id'))
    const stranger = await ask(empty)
    assert.deepEqual(
      [stranger.code, /^FAIL {2}installation .*(?:do not belong|belongs to another)/m.test(stranger.out)],
      [1, true],
    )
    await rm(empty, { recursive: true })
  })

  it('says what is missing on a PATH that has nothing', async () => {
    await symlink(process.execPath, join(place, 'node'))
    const { code, out } = await runProgram(['doctor'], { GUILDHALL_DATA: join(place, 'data'), PATH: place })
    assert.equal(code, 0)
    assert.match(out, /^note {2}(?:bubblewrap|sandbox) .* \(nothing can be judged here\)$/m)
    assert.match(out, /^note {2}git +is missing/m)
  })

  it('tells a sandbox that the kernel refuses from one that works', async () => {
    await writeFile(
      join(place, 'bwrap'),
      '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9.9 || { echo no namespaces for you >&2; exit 1; }\n',
    )
    await chmod(join(place, 'bwrap'), 0o755)
    const { out } = await runProgram(['doctor'], { GUILDHALL_DATA: join(place, 'data'), PATH: place })
    assert.match(out, /^ok {4}bubblewrap .*version 9\.9$/m)
    assert.match(out, /^note {2}sandbox .*\(nothing can be judged here\)$/m)
  })

  it('says of a git that is too old what is lost with it, and of one that is new enough its version', async () => {
    const ask = async (version: string) => {
      await writeFile(join(place, 'git'), `#!/bin/sh\necho git version ${version}\n`)
      await chmod(join(place, 'git'), 0o755)
      return (await runProgram(['doctor'], { GUILDHALL_DATA: join(place, 'data'), PATH: place })).out
    }
    for (const old of ['2.35.9', '1.99.0', '2.4.1'])
      assert.match(
        await ask(old),
        new RegExp(`^note {2}git +${old.replaceAll('.', '\\.')} is older than 2\\.36\\.\n +→ .*power cut`, 'm'),
      )
    for (const fine of ['2.36.0', '3.0.1'])
      assert.match(await ask(fine), new RegExp(`^ok {4}git +${fine.replaceAll('.', '\\.')}$`, 'm'))
  })

  it('names what was set aside, with its size and what to do about it', async () => {
    const data = await mkdtemp(join(place, 'aside-'))
    const folder = join(data, 'repositories', 'aside', '2026-01-02', '7.git')
    await mkdir(join(folder, 'objects'), { recursive: true })
    await writeFile(join(folder, 'objects', 'pack'), Buffer.alloc(3 * 1024 * 1024))
    const { out } = await runProgram(['doctor'], { GUILDHALL_DATA: data, PATH: place })
    assert.match(
      out,
      /^note {2}set aside +\S+\/aside\/2026-01-02\/7\.git, 3\.0 MiB, is not a repository of the database\.$/m,
    )
    assert.match(out, /→ To keep it: git -C \S+7\.git push --mirror to a new repository\./)
    await rm(data, { recursive: true })
  })

  it('fails for a database that takes no changes, and says which one to name', async (t) => {
    const database = await makeMigratedDatabase('postgres')
    t.after(database.drop)
    const url = new URL(database.url!)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const ask = (address: string) =>
      runProgram(['doctor'], { GUILDHALL_DATA: join(place, 'data'), PATH: place, DATABASE_URL: address })
    assert.match((await ask(database.url!)).out, /^ok {4}database +PostgreSQL answers$/m)
    const { code, out } = await ask(url.href)
    assert.equal(code, 1)
    assert.match(out, /^FAIL {2}database +PostgreSQL answers, and takes no changes\n +→ Promote it .*the primary\.$/m)
  })

  const broken: [string, Record<string, string>, RegExp][] = [
    ['a wrong setting', { GUILDHALL_PORT: 'x' }, /^FAIL {2}settings .*GUILDHALL_PORT/m],
    [
      'a database that is down, and looks at the folder all the same',
      { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
      /^ok {4}data folder .* free\nFAIL {2}database .*can't be used/m,
    ],
    ['a folder that can not be made', { GUILDHALL_DATA: '/proc/x' }, /^FAIL {2}data folder .*\/proc can't be written/m],
    ['a folder that takes nothing, even from root', { GUILDHALL_DATA: '/proc' }, /^FAIL {2}data folder /m],
  ]
  for (const [what, environment, says] of broken) {
    it(`ends with 1 for ${what}`, async () => {
      // Without the toolchains, which are tried above.
      const bare = { GUILDHALL_DATA: join(place, 'data'), PATH: place }
      const { code, out } = await runProgram(['doctor'], { ...bare, ...environment })
      assert.equal(code, 1)
      assert.match(out, says)
      assert.doesNotMatch(out, /secret/)
    })
  }
})
