/** `migration import FILE` on the command line, beside a server that runs. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { download, exportAll } from '../forge/migrations/exports.ts'
import { runProgram } from '../support/program.ts'
import { asAdmin, makeUser } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('migration import on the command line', () => {
  let server: TestServer
  let file: string
  before(async () => {
    server = await startServer('sqlite')
    const ann = await makeUser(server, 'ann')
    await ann.post('/user/repos', { name: 'notes', auto_init: true })
    await ann.post('/repos/ann/notes/issues', { title: 'The first' })
    file = join(server.database.folder, 'temporary', 'archive.tar.gz')
    await writeFile(file, await download(ann, (await exportAll(ann, { repositories: ['notes'] })).id))
  })
  after(() => server.stop())

  const run = (...words: string[]) =>
    runProgram(['migration', 'import', ...words], { GUILDHALL_DATA: server.database.folder })

  test('refuses in one line, and says that nothing was imported', async () => {
    for (const [words, message] of [
      [[file], /Nothing was imported\. There is a repository ann\/notes already/],
      [[`${file}.gone`], /There is no file/],
      [[file, '--users', 'ann'], /--users lists pairs/],
    ] as const) {
      const { code, err } = await run(...words)
      assert.notEqual(code, 0)
      assert.match(err, message)
      assert.equal(err.trim().split('\n').length, 1, err)
    }
  })

  test('brings an archive in under another owner, which the running server has at once', async () => {
    const { code, out, err } = await run(file, '--owner', 'admin')
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Imported from [^\n]+: \d+ records, 1 repositories\.\n {2}admin\/notes\n {2}\d+ \w/)
    const { body } = await asAdmin(server).get('/repos/admin/notes/issues/1')
    assert.deepEqual([body.title, body.user.login], ['The first', 'ann'])
  })
})
