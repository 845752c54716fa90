/** Names in texts: mentions with their events, references across issues, duplicates, and what commits say. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

for (const engine of oneEngine)
  describe(`names in texts on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let cid: RestClient

    before(async () => {
      server = await startServer(engine, {
        environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_BASE_URL: 'https://g.example' },
      })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      cid = await makeUser(server, 'cid')
      await ann.post('/user/repos', { name: 'open' })
      await ann.post('/user/repos', { name: 'other' })
      await ann.post('/user/repos', { name: 'hidden', private: true })
      await bob.post('/user/repos', { name: 'secret', private: true })
    })
    after(() => server.stop())

    const openIssue = async (body = '', repo = 'open', by = ann): Promise<number> =>
      (await by.post(`/repos/ann/${repo}/issues`, { title: 'An issue', body })).body.number
    const comment = (number: number, body: string, by = ann, repo = 'open') =>
      by.post(`/repos/ann/${repo}/issues/${number}/comments`, { body })
    const events = async (number: number, repo = 'open'): Promise<string[]> =>
      (await ann.get(`/repos/ann/${repo}/issues/${number}/events?per_page=100`)).body.map(
        (each: { event: string; actor: { login: string }; commit_id: string | null }) =>
          `${each.event} ${each.actor.login}${each.commit_id ? ` ${each.commit_id.slice(0, 7)}` : ''}`,
      )
    const referrers = async (number: number, by = ann, repo = 'open'): Promise<string[]> =>
      (await by.get(`/repos/ann/${repo}/issues/${number}/timeline?per_page=100`)).body
        .filter((each: { event: string }) => each.event === 'cross-referenced')
        .map(
          (each: { source: { issue: { repository: { full_name: string }; number: number } } }) =>
            `${each.source.issue.repository.full_name}#${each.source.issue.number}`,
        )

    test('a mention writes `mentioned`, then `subscribed`; an edit does so for whom it names first', async () => {
      const number = await openIssue('Hello @bob, @BOB and `@cid`')
      assert.deepEqual(await events(number), ['mentioned bob', 'subscribed bob'])
      await comment(number, '@bob again, and @ann herself')
      const { body } = await comment(number, 'nobody')
      const ofBob = ['mentioned bob', 'subscribed bob', 'mentioned bob', 'subscribed bob']
      assert.deepEqual(await events(number), ofBob)
      await ann.patch(`/repos/ann/open/issues/comments/${body.id}`, { body: 'now @cid' })
      await ann.patch(`/repos/ann/open/issues/${number}`, { body: '@cid, too' })
      assert.deepEqual(await events(number), [...ofBob, 'mentioned cid', 'subscribed cid'])
      const listed = await ann.get('/repos/ann/open/issues?mentioned=cid&state=all')
      assert.ok(listed.body.some((issue: { number: number }) => issue.number === number))
    })

    test('who may not read a repository is not mentioned in it, and nobody who is not there', async () => {
      const number = await openIssue('@bob @nobody-at-all @acme', 'hidden')
      assert.deepEqual(await events(number, 'hidden'), [])
    })

    test('of a thousand names the first fifty are mentioned', async () => {
      const names = Array.from({ length: 60 }, (_, index) => `many-${index}`)
      for (const login of names) await asAdmin(server).post('/admin/users', { login })
      const text = [...names, ...Array.from({ length: 940 }, (_, index) => `none-${index}`)].map((name) => `@${name}`)
      const number = await openIssue(text.join(' '))
      assert.equal((await events(number)).filter((each) => each.startsWith('mentioned')).length, 50)
    })

    test('naming an issue is told where it was named, once, however often, and in a circle', async () => {
      const first = await openIssue()
      const second = await openIssue(`See #${first}, #${first} and GH-${first}`)
      await comment(first, `Back to #${second}`)
      await comment(second, `And again ann/open#${first}`)
      await comment(second, `Itself: #${second}, and none: #99999`)
      const third = await openIssue(
        `https://g.example/ann/open/issues/${first} https://x.example/ann/open/issues/${second}`,
        'other',
      )
      assert.deepEqual(await referrers(first), [`ann/open#${second}`, `ann/other#${third}`])
      assert.deepEqual(await referrers(second), [`ann/open#${first}`])
      const told = await ann.get(`/repos/ann/open/issues/${first}/timeline`)
      assert.deepEqual(
        told.body.map(({ event }: { event: string }) => event),
        ['cross-referenced', 'commented', 'cross-referenced'],
      )
    })

    test('of a private repository nothing is told: not that it names an issue, nor that it has one', async () => {
      const target = await openIssue()
      const source = await openIssue(`Secret plan about ann/open#${target}`, 'hidden')
      assert.deepEqual(await referrers(target), [`ann/hidden#${source}`])
      assert.deepEqual(await referrers(target, cid), [])
      const page = await cid.get(`/repos/ann/open/issues/${target}/timeline`)
      assert.ok(!page.text.includes('hidden') && !page.text.includes('Secret'))
      // Bob's secret repository is named by one who can't read it: as if it were not there.
      const { body } = await bob.post('/repos/bob/secret/issues', { title: 'Mine' })
      await comment(target, `bob/secret#${body.number}`)
      const told = await bob.get(`/repos/bob/secret/issues/${body.number}/timeline`)
      assert.ok(!told.text.includes('cross-referenced'))
      const html = await cid.get(`/repos/ann/open/issues/${target}/comments`, {
        accept: 'application/vnd.github.html+json',
      })
      const none = await cid.post('/markdown', { text: 'bob/secret#1 bob/nothing#1', mode: 'gfm', context: 'ann/open' })
      assert.match(html.body[0].body_html, /href="https:\/\/g.example\/bob\/secret\/issues\/1"/)
      assert.equal((none.text.match(/issue-link/g) ?? []).length, 2)
    })

    test('`Duplicate of #n` marks an issue, and it can be unmarked', async () => {
      const original = await openIssue()
      const copy = await openIssue()
      await comment(copy, `Duplicate of #${original}`, bob)
      assert.deepEqual(await events(copy), [])
      await comment(copy, `Duplicate of #${original}`)
      await comment(copy, `Duplicate of #${original}`)
      await comment(copy, `Duplicate of #${copy}`)
      assert.deepEqual(await events(copy), ['marked_as_duplicate ann'])
      const path = `/repos/ann/open/issues/${copy}/duplicate`
      assert.deepEqual(
        [(await bob.delete(path)).status, (await ann.delete(path)).status, (await ann.delete(path)).status],
        [403, 204, 404],
      )
      assert.deepEqual(await events(copy), ['marked_as_duplicate ann', 'unmarked_as_duplicate ann'])
    })

    test('what was closed as a duplicate and is unmarked stays closed as completed', async () => {
      const [original, copy, unnamed] = [await openIssue(), await openIssue(), await openIssue()]
      await comment(copy, `Duplicate of #${original}`)
      for (const number of [copy, unnamed]) {
        const path = `/repos/ann/open/issues/${number}`
        await ann.patch(path, { state: 'closed', state_reason: 'duplicate' })
        assert.equal((await ann.delete(`${path}/duplicate`)).status, 204)
        const { body } = await ann.get(path)
        assert.deepEqual([body.state, body.state_reason], ['closed', 'completed'])
        assert.equal((await ann.delete(`${path}/duplicate`)).status, 404)
      }
      assert.equal((await events(unnamed)).includes('unmarked_as_duplicate ann'), false)
    })

    test('a deleted comment leaves an event', async () => {
      const number = await openIssue()
      const { body } = await comment(number, 'Gone soon')
      await ann.delete(`/repos/ann/open/issues/comments/${body.id}`)
      assert.deepEqual(await events(number), ['comment_deleted ann'])
    })

    test('two who edit one comment at once both have their say, one after the other', async () => {
      const number = await openIssue()
      const { body } = await comment(number, 'First')
      const path = `/repos/ann/open/issues/comments/${body.id}`
      const edits = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          ann.patch(path, { body: `Version ${index} for @${index % 2 ? 'bob' : 'cid'}` }),
        ),
      )
      assert.ok(edits.every(({ status }) => status === 200))
      const { body: last } = await ann.get(path)
      assert.match(last.body, /^Version \d for @(bob|cid)$/)
      const told = await events(number)
      assert.deepEqual(told.toSorted(), ['mentioned bob', 'mentioned cid', 'subscribed bob', 'subscribed cid'])
    })

    test('a commit on the default branch that names an issue refers to it, and closes it where it says so', async () => {
      const [named, fixed, elsewhere] = [await openIssue(), await openIssue(), await openIssue('', 'other')]
      const work = await makeWorkingFolder()
      try {
        const commitAll = async (message: string) => {
          await work.must('commit', '--quiet', '--allow-empty', '-m', message)
          return (await work.must('rev-parse', 'HEAD')).trim().slice(0, 7)
        }
        const url = remoteUrl(server.url, 'ann/open', 'ann', ann.token)
        await commitAll('Fixes #99999, which is not there')
        await work.must('push', '--quiet', url, 'HEAD:refs/heads/main')
        const first = await commitAll(`About #${named}, not \`#${fixed}\``)
        const second = await commitAll(`Fixes #${fixed} and closes ann/other#${elsewhere}`)
        await work.must('push', '--quiet', url, 'HEAD:refs/heads/side')
        await work.must('push', '--quiet', url, 'HEAD:refs/heads/main')
        await until(async () => (await events(elsewhere, 'other')).length === 2)
        assert.deepEqual(await events(named), [`referenced ann ${first}`])
        assert.deepEqual(await events(fixed), [`referenced ann ${second}`, `closed ann ${second}`])
        assert.deepEqual(await events(elsewhere, 'other'), [`referenced ann ${second}`, `closed ann ${second}`])
        const { body: closed } = await ann.get(`/repos/ann/open/issues/${fixed}`)
        assert.deepEqual([closed.state, closed.state_reason], ['closed', 'completed'])
        // What was told is not told again when the branch goes on, nor after it was opened anew.
        await ann.patch(`/repos/ann/open/issues/${fixed}`, { state: 'open' })
        const third = await commitAll(`Again #${named}`)
        await work.must('push', '--quiet', url, 'HEAD:refs/heads/main')
        await until(async () => (await events(named)).length === 2)
        assert.deepEqual(await events(named), [`referenced ann ${first}`, `referenced ann ${third}`])
        assert.equal((await ann.get(`/repos/ann/open/issues/${fixed}`)).body.state, 'open')
      } finally {
        await work.drop()
      }
    })
  })
