/** Archives of the public platform: previewed, imported, and everything that has no place here told by name. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { asAdmin, makeRest, makeToken, type RestClient, usualScopes } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { objectId } from '../crafted-packs.ts'
import { listRefs, makeHistory, sendPack, startHostileSource, treeEntry } from '../sources/hostile-source.ts'
import { download, exportAll, findFaults, unpack } from './exports.ts'
import { importAll } from './imports.ts'
import { anvil, image, imageUuid, makePlatformArchive, type PlatformArchive } from './platform-archives.ts'

const environment = {
  GUILDHALL_LIMITS: 'off',
  GUILDHALL_FILE_LIMITS: 'importUnpackedMib=8',
  GUILDHALL_IMPORT_NETWORKS: '127.0.0.0/8',
}

const leftOut = {
  autolinks: undefined,
  'attachments without their content': 1,
  'comments on what is not in the archive': 1,
  'deploy keys': 1,
  discussions: 1,
  'events of the kind copilot_work_started': 1,
  'events of what is not in the archive': 1,
  'files of releases without their content': 1,
  'labels that no longer exist': 1,
  'protected branches by a pattern': 1,
  'repositories without git data': 1,
  'reviews that were not handed in': 1,
  webhooks: 1,
}

const listLeftOut = ({ summary }: Json): Json =>
  Object.fromEntries(summary.left_out.map(({ what, count }: Json) => [what, count]))

for (const engine of engines) {
  describe(`an archive of the public platform on ${engine}`, () => {
    let server: TestServer
    let root: RestClient
    let made: PlatformArchive
    let ada: RestClient
    let imported: Json
    let previewed: Json
    before(async () => {
      server = await startServer(engine, { environment })
      root = asAdmin(server)
      made = await makePlatformArchive()
      const bytes = await made.forge().toBytes()
      previewed = await importAll(root, bytes, '?preview=true')
      assert.equal((await root.get('/users/ada')).status, 404, 'a preview writes nothing')
      imported = await importAll(root, bytes)
      assert.equal(imported.state, 'imported', imported.failure_reason)
      await root.delete('/users/ada/suspended')
      ada = makeRest(server.url, await makeToken(server, 'ada', { kind: 'classic', scopes: usualScopes }))
    })
    after(() => server?.stop())

    test('is previewed: what would be made, by whom, and what is left out', () => {
      assert.deepEqual([previewed.state, previewed.preview, previewed.repositories], ['previewed', true, []])
      const { summary } = previewed
      assert.equal(summary.from, 'https://github.com')
      assert.deepEqual(summary.repositories, ['smiths/anvil', 'ada/notes'])
      assert.deepEqual(summary.new_accounts, ['ada', 'ben-corp', 'helper-bot', 'Stranger', 'ghost', 'smiths'])
      assert.deepEqual(summary.counts, {
        ...{ user: 5, organization: 1, team: 1, repository: 2, milestone: 1, issue: 3, pull_request: 2 },
        ...{ pull_request_review: 2, pull_request_review_comment: 3, issue_comment: 2, issue_event: 12 },
        ...{ commit_comment: 1, protected_branch: 1, release: 1, attachment: 2 },
      })
      assert.deepEqual(listLeftOut(previewed), JSON.parse(JSON.stringify(leftOut)))
    })

    test('is imported, and says the same of itself', () => {
      assert.deepEqual(
        imported.repositories.map((one: Json) => one.full_name),
        ['smiths/anvil', 'ada/notes'],
      )
      assert.deepEqual(imported.summary, previewed.summary)
    })

    test('brings people, organisations, teams and rights', async () => {
      const { body } = await ada.get('/users/ben-corp')
      assert.equal(body.login, 'ben-corp')
      assert.equal((await ada.get('/user')).body.email, 'ada@example.org')
      assert.deepEqual(
        (await ada.get('/orgs/smiths/members')).body.map((one: Json) => one.login),
        ['ada', 'ben-corp'],
      )
      assert.equal((await ada.get('/orgs/smiths/memberships/ada')).body.role, 'admin')
      const team = (await ada.get('/orgs/smiths/teams/fire/repos')).body
      assert.deepEqual([team[0].full_name, team[0].permissions.push], ['smiths/anvil', true])
      const { body: rules } = await ada.get('/repos/smiths/anvil/branches/main/protection')
      assert.deepEqual(rules.required_status_checks.contexts, ['ci/build'])
      assert.equal(rules.required_pull_request_reviews.dismiss_stale_reviews, true)
      assert.deepEqual(
        [rules.restrictions.users[0].login, rules.restrictions.teams[0].slug, rules.enforce_admins.enabled],
        ['ada', 'fire', true],
      )
    })

    test('brings repositories with their options, labels and topics, and their git data', async (t) => {
      const { body } = await ada.get('/repos/smiths/anvil')
      assert.deepEqual(
        [body.private, body.topics, body.allow_merge_commit, body.allow_auto_merge, body.has_wiki],
        [true, ['iron'], false, true, true],
      )
      const labels = (await ada.get('/repos/smiths/anvil/labels')).body
      assert.deepEqual(
        labels.map((one: Json) => [one.name, one.color]),
        [
          ['bug', 'd73a4a'],
          ['good first issue', '7057ff'],
        ],
      )
      const work = await makeWorkingFolder()
      t.after(work.drop)
      for (const name of ['smiths/anvil', 'smiths/anvil.wiki'])
        assert.match(
          await work.must('ls-remote', remoteUrl(server.url, name, 'ada', ada.token)),
          new RegExp(`${made.shas.merge}\trefs/heads/main`),
        )
      const refs = await work.must('ls-remote', remoteUrl(server.url, 'smiths/anvil', 'ada', ada.token))
      assert.match(refs, /refs\/pull\/2\/head/)
      assert.doesNotMatch(refs, /__gh__|pull\/99/)
      assert.equal((await ada.get('/repos/ada/notes')).body.size, 0)
    })

    test('brings issues with everything on them, by the right people', async () => {
      const { body } = await ada.get('/repos/smiths/anvil/issues/1')
      assert.deepEqual(
        [body.title, body.state, body.state_reason, body.locked, body.closed_by.login, body.milestone.title],
        ['It bends', 'closed', 'completed', true, 'ben-corp', 'Spring'],
      )
      assert.deepEqual(
        [body.user.login, body.assignees[0].login, body.labels.map((one: Json) => one.name), body.comments],
        ['ada', 'ben-corp', ['bug'], 1],
      )
      const reactions = (await ada.get('/repos/smiths/anvil/issues/1/reactions')).body
      assert.deepEqual(
        reactions.map((one: Json) => [one.user.login, one.content, one.created_at]),
        [
          ['ben-corp', 'eyes', '2024-03-02T09:00:00Z'],
          ['Stranger', 'heart', '2024-03-02T08:00:00Z'],
        ],
      )
      const here = `${server.url}/-/attachments/${imageUuid}/bent.png`
      assert.ok(body.body.includes(`![bent](${here})`), body.body)
      const [, log] = /\[log\]\((\S+)\)/.exec(body.body)!
      const [comment] = (await ada.get('/repos/smiths/anvil/issues/1/comments')).body
      assert.equal(comment.body, `Same here, see ${here}`)
      const read = (url: string) => fetch(url, { headers: { authorization: `Bearer ${ada.token}` } })
      assert.deepEqual(Buffer.from(await (await read(here)).arrayBuffer()), image)
      assert.equal(await (await read(log!)).text(), 'Crash\n')
      const events = (await ada.get('/repos/smiths/anvil/issues/1/events')).body
      assert.deepEqual(
        events.map((one: Json) => [one.event, one.actor.login, one.commit_id]),
        [
          ['assigned', 'ada', null],
          ['labeled', 'ada', null],
          ['renamed', 'ada', null],
          ['milestoned', 'ada', null],
          ['locked', 'ada', null],
          ['closed', 'ben-corp', null],
          ['mentioned', 'helper-bot', null],
          ['referenced', 'ada', null],
        ],
      )
      assert.deepEqual([events[0].assignee.login, events[2].rename], ['ben-corp', { from: 'Bends', to: 'It bends' }])
      assert.equal((await ada.get('/repos/smiths/anvil/issues/4')).body.user.login, 'ghost')
      assert.equal((await ada.get('/repos/ada/notes/issues/1')).body.title, 'A note')
    })

    test('brings pulls with reviews, comments on lines and requested reviewers', async () => {
      const { body } = await ada.get('/repos/smiths/anvil/pulls/2')
      assert.deepEqual(
        [body.merged, body.merged_by.login, body.merge_commit_sha, body.head.ref, body.head.sha],
        [true, 'ada', made.shas.merge, 'tongs', made.shas.head],
      )
      const reviews = (await ada.get('/repos/smiths/anvil/pulls/2/reviews')).body
      assert.deepEqual(
        reviews.map((one: Json) => [one.user.login, one.state, one.body]),
        [['ada', 'APPROVED', 'Good']],
      )
      const comments = (await ada.get('/repos/smiths/anvil/pulls/2/comments')).body
      assert.deepEqual(
        comments.map((one: Json) => [one.body, one.original_line, one.original_start_line, one.side]),
        [
          ['Which tongs?', 2, 1, 'RIGHT'],
          ['The long ones', 2, 1, 'RIGHT'],
        ],
      )
      assert.equal(comments[1].in_reply_to_id, comments[0].id)
      const query = `{ repository(owner: "smiths", name: "anvil") { pullRequest(number: 2) {
        reviewThreads(first: 5) { nodes { isResolved resolvedBy { login } } } } } }`
      const { data } = (await ada.post('/graphql', { query })).body
      assert.deepEqual(data.repository.pullRequest.reviewThreads.nodes, [
        { isResolved: true, resolvedBy: { login: 'ada' } },
      ])
      const open = (await ada.get('/repos/smiths/anvil/pulls/3')).body
      assert.deepEqual(
        [open.draft, open.head.repo, open.requested_reviewers.map((one: Json) => one.login)],
        [true, null, ['ada']],
      )
      assert.equal(open.requested_teams[0].slug, 'fire')
      const [alone] = (await ada.get('/repos/smiths/anvil/pulls/3/comments')).body
      assert.deepEqual([alone.body, alone.original_line], ['Without a review', 2])
      const [release] = (await ada.get('/repos/smiths/anvil/releases')).body
      assert.deepEqual(
        [release.name, release.assets.map((one: Json) => [one.name, one.size])],
        ['One', [['anvil.bin', 5]]],
      )
      assert.equal((await ada.get(`/repos/smiths/anvil/commits/${made.shas.first}/comments`)).body[0].body, 'A start')
    })

    test('can be exported again, as sound as any, with its resolved conversations', async (t) => {
      const { id } = await exportAll(ada, { repositories: ['smiths/anvil'] })
      const again = await unpack(await download(ada, id))
      t.after(again.drop)
      assert.deepEqual(await findFaults(again, server.url), [])
      const comments = await again.records('pull_request_review_comments')
      assert.deepEqual(
        comments.map(({ resolved_by, resolved_at }) => [resolved_by, resolved_at]),
        [
          [`${server.url}/ada`, '2024-03-08T08:00:00Z'],
          [null, null],
          [null, null],
        ],
      )
    })
  })
}

describe('an archive of the public platform', () => {
  let server: TestServer
  let root: RestClient
  before(async () => {
    server = await startServer('sqlite', { environment })
    root = asAdmin(server)
  })
  after(() => server?.stop())

  test('maps people by the logins that it has, and its repositories to another owner', async () => {
    const { records, forge } = await makePlatformArchive()
    await root.post('/admin/users', { login: 'benny', email: 'benny@example.org' })
    records.teams = []
    const moved = await importAll(root, await forge().toBytes(), '?users=ben_corp:benny&owner=admin')
    assert.equal(moved.state, 'imported', moved.failure_reason)
    assert.deepEqual(moved.summary.repositories, ['admin/anvil', 'admin/notes'])
    assert.equal((await root.get('/repos/admin/anvil/issues/1')).body.closed_by.login, 'benny')
  })

  test('without git data makes repositories that are imported into by their address', async (t) => {
    const { forge, shas } = await makePlatformArchive()
    const bare = forge()
    for (const { header } of [...bare.entries]) if (header.name.startsWith('repositories/')) bare.remove(header.name)
    await root.post('/admin/users', { login: 'eva', email: 'eva@example.org' })
    const { state, failure_reason, summary } = await importAll(root, await bare.toBytes(), '?owner=eva')
    assert.equal(state, 'imported', failure_reason)
    assert.equal(listLeftOut({ summary })['repositories without git data'], 2)
    const pulls = ['', '/commits', '/files', '/comments', '/reviews'].flatMap((end) => [`/2${end}`, `/3${end}`])
    for (const path of ['', '/issues/1', '/branches', ...pulls.map((end) => `/pulls${end}`)])
      assert.equal((await root.get(`/repos/eva/anvil${path}`)).status, 200, path)
    const source = await startHostileSource()
    t.after(() => source.close())
    const blob = { type: 'blob', bytes: Buffer.from('Hello\n') } as const
    const { pack, sha } = makeHistory([blob], treeEntry('100644', 'hello.txt', objectId('blob', 'Hello\n')))
    source.pack = sendPack(pack)
    source.list = listRefs({ 'refs/heads/main': sha })
    const token = await makeToken(server, 'eva', { kind: 'classic', scopes: usualScopes })
    const eva = makeRest(server.url, token)
    assert.equal((await eva.post('/repos/eva/anvil/import', { url: source.url })).status, 201)
    const read = async () => (await eva.get('/repos/eva/anvil/import')).body
    await until(async () => ['complete', 'failed'].includes((await read()).status))
    assert.equal((await read()).status, 'complete', JSON.stringify((await read()).failure))
    assert.equal((await eva.get('/repos/eva/anvil/git/ref/heads/main')).body.object.sha, sha)
    assert.equal((await eva.get('/repos/eva/anvil/pulls/2')).body.head.sha, shas.head)
  })

  type Case = readonly [what: string, change: (made: PlatformArchive) => void, reason: RegExp]
  const first = (made: PlatformArchive, plural: string) => made.records[plural]![0]!
  const hostile: readonly Case[] = [
    ['an issue twice', ({ records }) => records.issues!.push(records.issues![0]), /is there twice/],
    ['a user twice', ({ records }) => records.users!.push(records.users![0]), /github\.com\/ada is there twice/],
    ['two comments of one id', ({ records }) => records.issue_comments!.push(records.issue_comments![0]), /twice/],
    ['a number for a title', (made) => (first(made, 'issues').title = 7), /issues_000001.json, record 1: title must/],
    ['a time that none is', (made) => (first(made, 'issues').created_at = 'now'), /created_at must be a time/],
    ['no repository’s name', (made) => (first(made, 'repositories').name = '../../etc'), /name must be/],
    ['an address that is none', (made) => (first(made, 'repositories').url = 'javascript:1'), /must be a web address/],
    ['records that are none', (made) => made.records.issues!.push('x'), /is not a record/],
    [
      'git data elsewhere',
      (made) => (made.records.repositories![1].git_url = first(made, 'repositories').git_url),
      /have the git data of/,
    ],
  ]

  test('is refused by what it holds, and leaves nothing behind', async () => {
    const stages = async () => readdir(join(server.database.folder, 'temporary'))
    for (const [what, change, reason] of hostile) {
      const made = await makePlatformArchive()
      change(made)
      const { state, failure_reason } = await importAll(root, await made.forge().toBytes())
      assert.equal(state, 'failed', what)
      assert.match(failure_reason, reason, what)
      assert.deepEqual(await stages(), [], what)
    }
  })

  test('is refused with links, paths that lead out, bombs and text that is no JSON', async () => {
    const { forge } = await makePlatformArchive()
    await root.post('/admin/users', { login: 'olga', email: 'olga@example.org' })
    for (const [change, reason] of [
      [(a) => a.add({ name: 'issues_000002.json', type: 'symlink', linkname: '/etc/passwd' }), /neither a file nor/],
      [(a) => a.add({ name: 'x', type: 'link', linkname: 'schema.json' }), /neither a file nor a folder/],
      [(a) => a.add({ name: 'attachments/../../evil' }, 'x'), /not a name that an archive has/],
      [(a) => a.add({ name: '/etc/evil' }, 'x'), /not a name that an archive has/],
      [(a) => a.put('big.bin', Buffer.alloc(9 * 1024 * 1024)), /unpacks to more than 8 MiB/],
      [(a) => a.put('issues_000001.json', '[{'), /is not JSON/],
      [(a) => a.put('issues_000001.json', '{}'), /is not a list of records/],
      [(a) => a.put('issues_000001.json', '['.repeat(1000)), /nested too deep/],
      [(a) => a.put('schema.json', '{"version":"1.0.0"}'), /no manifest\.json/],
      [(a) => a.put('schema.json', '{"version":"2.0.0"}'), /which this server does not know/],
      [(a) => a.put('repositories/smiths/anvil.git/packed-refs', `${'f'.repeat(40)} refs/heads/main\n`), /damaged/],
    ] as readonly (readonly [(archive: ReturnType<typeof forge>) => void, RegExp])[]) {
      const archive = forge()
      change(archive)
      const { state, failure_reason } = await importAll(root, await archive.toBytes(), '?owner=olga')
      assert.equal(state, 'failed', String(reason))
      assert.match(failure_reason, reason)
    }
  })

  test('skips what it does not know, and says so; nobody is mistaken for another', async () => {
    const { forge, records } = await makePlatformArchive()
    records.issues!.push({ ...records.issues![0], url: `${anvil}/issues/50`, user: 'https://github.com/ADA' })
    records.repositories![0].name = 'again'
    const archive = forge()
    archive.put('readme.sh', 'rm -rf /')
    archive.put('widgets_000001.json', '[{},{}]')
    await root.post('/admin/users', { login: 'zoe', email: 'zoe@example.org' })
    const done = await importAll(root, await archive.toBytes(), '?owner=zoe')
    assert.equal(done.state, 'imported', done.failure_reason)
    assert.deepEqual([listLeftOut(done)['files of no known kind'], listLeftOut(done).widgets], [1, 2])
    assert.equal((await root.get('/repos/zoe/again/issues/50')).body.user.login, 'ada')
  })

  test('is taken as GNU tar writes it, with long names and folders', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-platform-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const made = await makePlatformArchive()
    const archive = made.forge()
    const { mkdir, readFile } = await import('node:fs/promises')
    const { dirname } = await import('node:path')
    const { execFileSync } = await import('node:child_process')
    for (const { header, bytes } of archive.entries) {
      const name = header.name.replace('smiths/anvil', `smiths/${'anvil'.repeat(10)}`)
      await mkdir(dirname(join(folder, 'root', name)), { recursive: true })
      await writeFile(
        join(folder, 'root', name),
        String(bytes).includes('tarball')
          ? String(bytes)
              .replaceAll('smiths/anvil', `smiths/${'anvil'.repeat(10)}`)
              .replace('"name": "anvil"', `"name": "${'anvil'.repeat(10)}"`)
          : bytes,
      )
    }
    execFileSync('tar', ['--format=gnu', '-czf', join(folder, 'a.tar.gz'), '-C', join(folder, 'root'), '.'])
    const done = await importAll(root, await readFile(join(folder, 'a.tar.gz')), '?preview=true')
    assert.equal(done.state, 'previewed', done.failure_reason)
    assert.equal(done.summary.repositories[0], `smiths/${'anvil'.repeat(10)}`)
  })
})
