/** The data folder on a disk that is full to the last byte: it is served from, told of and backed up. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runProgram, startProgram } from '../support/program.ts'
import { makeRest } from '../support/rest.ts'

const token = 'admin-token-0123456789-0123456789'

describe('a full disk', () => {
  let place: string
  let data: string
  let isMounted = false
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-full-'))
    data = join(place, 'data')
    await mkdir(data, { mode: 0o700 })
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0700', 'guildhall-full', data]).status === 0
  })
  after(async () => {
    if (isMounted) spawnSync('umount', ['--lazy', data])
    await rm(place, { recursive: true, force: true })
  })

  it('is told by /readyz, keeps nobody from reading, and can be backed up, with and without a server', async (t) => {
    if (!isMounted) return t.skip('a disk to fill can be made by root alone')
    const environment = {
      GUILDHALL_DATA: data,
      GUILDHALL_EXECUTORS: '0',
      GUILDHALL_LIMITS: 'off',
      GUILDHALL_ADMIN_TOKEN: token,
      GUILDHALL_ADMIN_PASSWORD: 'admin-password',
    }
    // Of a backup that was killed long ago, and of one that runs.
    for (const name of ['old', 'new']) await mkdir(join(data, `.backup-${name}`))
    await utimes(join(data, '.backup-old'), 1, 1)
    let server = await startProgram(environment)
    assert.deepEqual([existsSync(join(data, '.backup-old')), existsSync(join(data, '.backup-new'))], [false, true])
    const client = makeRest(server.url, token)
    assert.equal((await client.post('/user/repos', { name: 'kept', auto_init: true })).status, 201)
    const change = { message: 'x', content: btoa('x') }
    const draft = { title: 'x', head: 'side', base: 'main' }
    const { sha } = (await client.get('/repos/admin/kept/commits/main')).body
    assert.equal((await client.post('/repos/admin/kept/git/refs', { ref: 'refs/heads/side', sha })).status, 201)
    assert.equal((await client.put('/repos/admin/kept/contents/a', { ...change, branch: 'side' })).status, 201)
    assert.equal((await client.post('/repos/admin/kept/pulls', draft)).status, 201)
    // Whether it can be merged is to be found out anew.
    assert.equal((await client.put('/repos/admin/kept/contents/b', change)).status, 201)
    spawnSync('dd', ['if=/dev/zero', `of=${join(data, 'filler')}`, 'bs=64k'])
    // What the log of the database has set aside for itself is used up as well.
    const write = () => client.post('/repos/admin/kept/issues', { title: 'More', body: 'x'.repeat(60_000) })
    for (let i = 0; i < 300 && (await write()).status !== 503; i++);
    assert.equal((await write()).status, 503)

    const ready = await fetch(`${server.url}/readyz`)
    const said = (await ready.json()) as { status: string; dataFolder: string }
    assert.deepEqual([ready.status, said.status], [200, 'degraded'])
    assert.match(said.dataFolder, /is full/)
    assert.equal((await client.get('/repos/admin/kept/contents/README.md')).status, 200)

    const pull = await client.get('/repos/admin/kept/pulls/1')
    assert.deepEqual([pull.status, pull.body.mergeable], [200, null])
    assert.deepEqual(await readdir(join(data, 'repositories', 'coming')), [])

    const archives = ['served', 'stopped'].map((name) => join(place, `${name}.tar.gz`))
    const backUp = async (target: string) => {
      const { code, err } = await runProgram(['backup', target], environment)
      assert.equal(code, 0, err)
      return err
    }
    assert.match(await backUp(archives[0]!), /deletions can not be held up/)
    await server.end('SIGTERM')
    await backUp(archives[1]!)
    for (const [i, archive] of archives.entries()) {
      const restored = { ...environment, GUILDHALL_DATA: join(place, `restored-${i}`) }
      const { code, err } = await runProgram(['restore', archive], restored)
      assert.equal(code, 0, err)
      server = await startProgram(restored)
      assert.equal((await makeRest(server.url, token).get('/repos/admin/kept/contents/README.md')).status, 200)
      await server.end('SIGTERM')
    }
  })
})
