/** Large files in the archives of user migrations: beside the git data, where git-lfs keeps them, and back again. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { asAdmin } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type GitServer, startGitServer } from '../git-server.ts'
import { download, exportAll, findFaults, unpack } from '../migrations/exports.ts'
import { importAll } from '../migrations/imports.ts'
import { makeLfsClient, makeObject } from './lfs-client.ts'

describe('large files in an archive', () => {
  let { server, ann, start, stop } = {} as GitServer
  let target: TestServer
  before(async () => {
    ;({ server, ann, start, stop } = await startGitServer('sqlite'))
    target = await startServer('postgres', { environment: { GUILDHALL_LIMITS: 'off' } })
  })
  after(async () => {
    await target.stop()
    await stop()
  })

  test('lie beside the git data, are imported with it, and are the imported repository’s alone', async (t) => {
    const [one, both] = [makeObject(randomBytes(30_000)), makeObject('in both')]
    for (const [name, objects] of [
      ['first', [one, both]],
      ['second', [both]],
    ] as const) {
      await start(name)
      for (const object of objects)
        assert.equal(await makeLfsClient(server.url, `ann/${name}`, ann).upload(object), 200)
    }
    const { id } = await exportAll(ann, { repositories: ['ann/first', 'ann/second'] })
    const bytes = await download(ann, id)
    const archive = await unpack(bytes)
    t.after(archive.drop)
    const place = (name: string, oid: string) =>
      `repositories/ann/${name}.git/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`
    const expected = [place('first', one.oid), place('first', both.oid), place('second', both.oid)].sort()
    assert.deepEqual(
      archive.files.filter((path) => path.includes('/lfs/')),
      expected,
    )
    assert.ok((await readFile(join(archive.folder, place('first', one.oid)))).equals(one.bytes))
    assert.deepEqual(await findFaults(archive, server.url), [])
    const imported = await importAll(asAdmin(target), bytes)
    assert.equal(imported.state, 'imported', imported.failure_reason)
    const there = (name: string) => makeLfsClient(target.url, `ann/${name}`)
    assert.ok((await there('first').download(one)).bytes.equals(one.bytes))
    assert.ok((await there('second').download(both)).bytes.equals(both.bytes))
    assert.equal((await there('second').download(one)).status, 404)
    const without = await exportAll(ann, { repositories: ['ann/first'], exclude_git_data: true })
    const bare = await unpack(await download(ann, without.id))
    t.after(bare.drop)
    assert.deepEqual(
      bare.files.filter((path) => path.includes('/lfs/')),
      [],
    )
  })
})
