/** Single requests of tools that CI's machine does not have, as they were recorded: hub 2.14, go-github 48. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

describe('what tools send', () => {
  let server: TestServer
  let world: World
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
  })
  after(() => server.stop())

  test('hub release create: an empty target is the default branch', async () => {
    const release = {
      ...{ name: 'Hub rel', tag_name: 'vh', target_commitish: '', body: '', draft: false, prerelease: false },
      ...{ assets: null, tarball_url: '', zipball_url: '', html_url: '', upload_url: '', url: '' },
      ...{ created_at: '0001-01-01T00:00:00Z', published_at: '0001-01-01T00:00:00Z' },
    }
    const { status, body } = await world.ann.post('/api/v3/repos/ann/open/releases', release)
    assert.deepEqual([status, body.target_commitish], [201, 'main'])
    const edited = await world.ann.patch(`/api/v3/repos/ann/open/releases/${body.id}`, { ...release, name: 'Newer' })
    assert.deepEqual([edited.status, edited.body.name, edited.body.target_commitish], [200, 'Newer', 'main'])
    const notes = { tag_name: 'vi', target_commitish: '' }
    assert.equal((await world.ann.post('/repos/ann/open/releases/generate-notes', notes)).status, 200)
  })

  test('go-github, UploadReleaseAsset: files of releases are taken at the enterprise server’s address, too', async () => {
    const { body: release } = await world.ann.post('/api/v3/repos/ann/open/releases', { tag_name: 'v2' })
    const path = `/api/uploads/repos/ann/open/releases/${release.id}/assets?label=L&name=asset.txt`
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    const { status, body } = await world.ann.ask('POST', path, 'asset\n', headers)
    assert.deepEqual([status, body.name, body.label, body.size], [201, 'asset.txt', 'L', 6])
    assert.ok(body.url.startsWith(`${server.url}/api/v3/repos/ann/open/releases/assets/`), body.url)
    assert.equal((await world.ann.get(new URL(body.browser_download_url).pathname)).text, 'asset\n')
    assert.equal((await makeRest(server.url).ask('POST', path, 'asset\n', headers)).status, 401)
    assert.equal((await world.bob.ask('POST', path, 'asset\n', headers)).status, 403)
    const other = await world.ann.get('/api/uploads/repos/ann/open')
    assert.equal(other.status, 404)
  })

  test('go-github, ListBranchesHeadCommit: the branches whose newest commit it is', async () => {
    const { commit } = world.shas
    const { status, body } = await world.ann.get(`/api/v3/repos/ann/hidden/commits/${commit}/branches-where-head`)
    const url = `${server.url}/api/v3/repos/ann/hidden/commits/${commit}`
    const branch = (name: string) => ({ name, commit: { sha: commit, url }, protected: false })
    assert.deepEqual([status, body], [200, [branch('feature/one'), branch('main')]])
    const { body: parents } = await world.ann.get(`/repos/ann/hidden/commits/${commit}`)
    const first = parents.parents[0].sha
    assert.deepEqual((await world.ann.get(`/repos/ann/hidden/commits/${first}/branches-where-head`)).body, [])
    for (const none of ['0'.repeat(40), 'main', world.shas.tree])
      assert.equal((await world.ann.get(`/repos/ann/hidden/commits/${none}/branches-where-head`)).status, 404)
    assert.equal((await world.bob.get(`/repos/ann/hidden/commits/${commit}/branches-where-head`)).status, 404)
  })

  test('go-github, UpdateBranchProtection: checks that are null leave the contexts as they are given', async () => {
    const path = '/api/v3/repos/ann/open/branches/main/protection'
    const { status, body } = await world.ann.put(path, {
      required_status_checks: { strict: true, contexts: ['ci'], checks: null },
      required_pull_request_reviews: {
        dismiss_stale_reviews: false,
        require_code_owner_reviews: false,
        required_approving_review_count: 1,
      },
      enforce_admins: false,
      restrictions: null,
    })
    assert.deepEqual([status, body.required_status_checks.contexts], [200, ['ci']])
    await world.ann.delete(path)
  })
})
