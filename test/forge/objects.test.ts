/** Users and repositories have every member that the contract lists, in both versions, and the interface describes itself. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { versions } from '../../src/api/forge-rest/pipeline/versions.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { makeWorld, type World } from './world.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

const userMembers = words(`login id node_id avatar_url gravatar_id url html_url followers_url following_url gists_url
  starred_url subscriptions_url organizations_url repos_url events_url received_events_url type site_admin`)

const embeddedMembers =
  words(`id node_id name full_name owner private html_url description fork url archive_url assignees_url
  blobs_url branches_url collaborators_url comments_url commits_url compare_url contents_url contributors_url deployments_url
  downloads_url events_url forks_url git_commits_url git_refs_url git_tags_url git_url issue_comment_url issue_events_url
  issues_url keys_url labels_url languages_url merges_url milestones_url notifications_url pulls_url releases_url ssh_url
  stargazers_url statuses_url subscribers_url subscription_url tags_url teams_url trees_url hooks_url`)

const wholeMembers =
  words(`clone_url mirror_url svn_url homepage language forks_count stargazers_count watchers_count size
  open_issues_count forks open_issues watchers subscribers_count network_count default_branch is_template archived disabled
  has_issues has_projects has_wiki has_pages has_downloads allow_rebase_merge allow_squash_merge allow_auto_merge
  delete_branch_on_merge allow_merge_commit topics visibility pushed_at created_at updated_at permissions
  template_repository temp_clone_token license`)

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

function demandMembers(thing: Json, members: readonly string[], name: string): void {
  assert.deepEqual(
    members.filter((member) => !(member in thing)),
    [],
    `${name} lacks members`,
  )
}

describe('objects', () => {
  let server: TestServer
  let world: World
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeWorld(server)
  })
  after(() => server.stop())

  for (const version of versions) {
    test(`of version ${version} have every member that is listed`, async () => {
      const get = async (path: string) => (await world.ann.get(path, { 'x-platform-api-version': version })).body
      const repository = await get('/repos/ann/open')
      const dropped = version === '2026-03-10' ? ['has_downloads'] : []
      const whole = wholeMembers.filter((member) => !dropped.includes(member))
      demandMembers(repository, [...embeddedMembers, ...whole], 'a repository')
      assert.deepEqual(
        dropped.filter((member) => member in repository),
        [],
      )
      demandMembers(repository.owner, userMembers, 'an owner')
      for (const name of ['created_at', 'updated_at', 'pushed_at']) assert.match(repository[name], time)
      const { admin, push, pull } = repository.permissions
      assert.deepEqual([admin, push, pull], [true, true, true])
      assert.equal('permissions' in (await get('/repos/ann/open')), true)
      demandMembers((await get('/repositories'))[0], embeddedMembers, 'an embedded repository')
      demandMembers((await get('/user/repos'))[0], embeddedMembers, 'a listed repository')
      for (const path of ['/user', '/users/bob', '/users/acme']) demandMembers(await get(path), userMembers, path)
      demandMembers((await get('/orgs/acme/members'))[0], userMembers, 'a member')
    })
  }

  test('of other types never share a node_id, and keep theirs', async () => {
    const paths = ['/user', '/users/bob', '/orgs/acme', '/repos/ann/open', '/repos/ann/hidden', '/orgs/acme/teams/crew']
    const read = () => Promise.all(paths.map(async (path) => (await world.ann.get(path)).body.node_id))
    const first = await read()
    assert.equal(new Set(first).size, paths.length)
    assert.deepEqual(await read(), first)
  })

  test('what the server is, its versions and its root are for anyone, at both addresses', async () => {
    for (const prefix of ['', '/api/v3']) {
      const { body: root } = await world.bob.get(`${prefix}/`)
      assert.equal(root.current_user_url, `${server.url}${prefix}/user`)
      assert.equal(root.rate_limit_url, `${server.url}${prefix}/rate_limit`)
      const { body: meta } = await world.bob.get(`${prefix}/meta`)
      assert.equal(meta.verifiable_password_authentication, false)
      assert.equal(meta.installed_version, manifest.version)
      assert.deepEqual((await world.bob.get(`${prefix}/versions`)).body, [...versions])
    }
  })
})
