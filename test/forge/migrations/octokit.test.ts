/** The published client, unchanged but for its base URL: the seven operations of user migrations. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { awaitExport, findFaults, unpack } from './exports.ts'

let server: TestServer
let ann: RestClient
before(async () => {
  server = await startServer('sqlite')
  ann = await makeUser(server, 'ann')
})
after(() => server.stop())

test('Octokit starts, lists, follows, downloads, deletes and unlocks', async (t) => {
  const client = new Octokit({ auth: ann.token, baseUrl: `${server.url}/api/v3` })
  await client.repos.createForAuthenticatedUser({ name: 'tool', auto_init: true })
  const started = await client.migrations.startForAuthenticatedUser({
    repositories: ['ann/tool'],
    lock_repositories: true,
    exclude: ['repositories'],
  })
  assert.deepEqual([started.status, started.data.state], [201, 'pending'])
  const { id } = started.data
  await awaitExport(ann, id)
  const status = await client.migrations.getStatusForAuthenticatedUser({ migration_id: id, exclude: ['repositories'] })
  assert.deepEqual([status.data.state, 'repositories' in status.data], ['exported', false])
  assert.equal(status.data.archive_url, `${server.url}/api/v3/user/migrations/${id}/archive`)
  const all = await client.paginate(client.migrations.listForAuthenticatedUser, { per_page: 1 })
  assert.deepEqual(
    all.map((one) => one.id),
    [id],
  )
  const { data: repositories } = await client.migrations.listReposForAuthenticatedUser({ migration_id: id })
  assert.deepEqual(
    repositories.map(({ full_name }) => full_name),
    ['ann/tool'],
  )
  // It follows the redirect by itself.
  const file = await client.migrations.getArchiveForAuthenticatedUser({ migration_id: id })
  const archive = await unpack(Buffer.from(file.data as unknown as ArrayBuffer))
  t.after(archive.drop)
  assert.deepEqual(await findFaults(archive, server.url), [])
  await assert.rejects(client.repos.update({ owner: 'ann', repo: 'tool', description: 'New' }), { status: 403 })
  const unlocked = await client.migrations.unlockRepoForAuthenticatedUser({ migration_id: id, repo_name: 'tool' })
  assert.equal(unlocked.status, 204)
  await client.repos.update({ owner: 'ann', repo: 'tool', description: 'New' })
  const deleted = await client.migrations.deleteArchiveForAuthenticatedUser({ migration_id: id })
  assert.equal(deleted.status, 204)
  await assert.rejects(client.migrations.getArchiveForAuthenticatedUser({ migration_id: id }), { status: 404 })
})
