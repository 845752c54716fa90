/** A week of a small team's work, by the published client and git alone: the whole log of events and inboxes is what the contract says. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { type Engine, engines } from '../support/engines.ts'
import { makeWorkingFolder, remoteUrl, type WorkingFolder } from '../support/git.ts'
import { asAdmin, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

type Named = { readonly login: string }
/** What the log shows of an event: who, what, about which issue, and its own members in few words. */
type Line = string

const owner = 'acme'
const repo = 'shop'
const place = { owner, repo }

const connect = (server: TestServer, { token }: RestClient) =>
  new Octokit({ auth: token, baseUrl: server.url, log: { debug() {}, info() {}, warn() {}, error() {} } })

for (const engine of engines) describe(`a week of a small team on ${engine}`, () => runWeek(engine))

function runWeek(engine: Engine): void {
  let server: TestServer
  let folder: WorkingFolder
  let ada: Octokit
  let ben: Octokit
  let cat: Octokit
  let pushAs: (login: string, ...words: string[]) => Promise<unknown>

  before(async () => {
    server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
    const root = asAdmin(server)
    const people = await Promise.all(['ada', 'ben', 'cat'].map((login) => makeUser(server, login)))
    ;[ada, ben, cat] = people.map((person) => connect(server, person)) as [Octokit, Octokit, Octokit]
    await root.post('/admin/organizations', { login: owner, admin: 'ada' })
    for (const login of ['ben', 'cat']) await root.put(`/orgs/${owner}/memberships/${login}`, { role: 'member' })
    await ada.repos.createInOrg({ org: owner, name: repo })
    const team = await ada.teams.create({ org: owner, name: 'crew' })
    for (const username of ['ben', 'cat'])
      await ada.teams.addOrUpdateMembershipForUserInOrg({ org: owner, team_slug: team.data.slug, username })
    await ada.teams.addOrUpdateRepoPermissionsInOrg({
      org: owner,
      team_slug: team.data.slug,
      owner,
      repo,
      permission: 'push',
    })
    folder = await makeWorkingFolder()
    pushAs = (login, ...words) => {
      const { token } = people[['ada', 'ben', 'cat'].indexOf(login)]!
      return folder.must('push', '--quiet', remoteUrl(server.url, `${owner}/${repo}`, login, token), ...words)
    }
  })
  after(async () => {
    await folder.drop()
    await server.stop()
  })

  async function commit(file: string, text: string, message: string): Promise<string> {
    await writeFile(join(folder.path, file), text)
    await folder.must('add', '--all')
    await folder.must('commit', '--quiet', '-m', message)
    return folder.must('rev-parse', 'HEAD')
  }

  /** The repository's whole log, oldest first. */
  async function readLog(): Promise<Line[]> {
    const events = await ada.paginate(ada.issues.listEventsForRepo, { ...place, per_page: 7 })
    const ids = events.map(({ id }) => id)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
      'newest first, by ids that ascend',
    )
    return events.toReversed().map(spell)
  }

  /** What one was told of, newest first. */
  async function readInbox(who: Octokit): Promise<string[]> {
    const threads = await who.paginate(who.activity.listNotificationsForAuthenticatedUser, { all: true })
    return threads.map(({ subject, reason, unread }) => `${reason} ${subject.title}${unread ? '' : ' (read)'}`)
  }

  test('leaves the log that the contract says', async () => {
    // Monday: the first files, two issues, a plan.
    await commit('README.md', '# Shop\n', 'Begin')
    await pushAs('ada', 'main')
    const milestone = (await ada.issues.createMilestone({ ...place, title: 'v1' })).data
    await ben.issues.create({ ...place, title: 'Prices are wrong', body: 'Look at this, @cat.', labels: ['bug'] })
    await cat.issues.create({ ...place, title: 'A basket' })
    await ada.issues.update({ ...place, issue_number: 2, milestone: milestone.number, assignees: ['ben'] })

    // Tuesday: talk, a better title, a label more and one less.
    await cat.issues.createComment({ ...place, issue_number: 1, body: 'I see it too. What do you say, @ada?' })
    await ben.issues.update({ ...place, issue_number: 1, title: 'Prices lack the tax' })
    await ada.issues.addLabels({ ...place, issue_number: 1, labels: ['help wanted'] })
    await ada.issues.removeLabel({ ...place, issue_number: 1, name: 'help wanted' })

    // Wednesday: ben mends it on a branch and asks cat to look.
    await folder.must('checkout', '--quiet', '-b', 'tax')
    await commit('prices.txt', 'with tax\n', 'Add the tax')
    await pushAs('ben', 'tax')
    const pull = (
      await ben.pulls.create({
        ...place,
        title: 'Add the tax',
        head: 'tax',
        base: 'main',
        body: 'Fixes #1',
        draft: true,
      })
    ).data
    assert.equal(pull.number, 3)
    await ben.request('PATCH /repos/{owner}/{repo}/pulls/{n}', { ...place, n: 3, draft: false })
    await ben.pulls.requestReviewers({ ...place, pull_number: 3, reviewers: ['cat'] })

    // Thursday: cat wants a change, ben pushes it, cat agrees, ada merges.
    const files = await cat.pulls.listFiles({ ...place, pull_number: 3 })
    assert.deepEqual(
      files.data.map(({ filename, status, additions }) => ({ filename, status, additions })),
      [{ filename: 'prices.txt', status: 'added', additions: 1 }],
    )
    const review = await cat.pulls.createReview({
      ...place,
      pull_number: 3,
      event: 'REQUEST_CHANGES',
      body: 'Say how much.',
      comments: [{ path: 'prices.txt', line: 1, side: 'RIGHT', body: 'How much?' }],
    })
    await commit('prices.txt', 'with 20 % tax\n', 'Say how much')
    await pushAs('ben', 'tax')
    await cat.pulls.dismissReview({ ...place, pull_number: 3, review_id: review.data.id, message: 'It says so now.' })
    await cat.pulls.createReview({ ...place, pull_number: 3, event: 'APPROVE' })
    const merged = (await ada.pulls.merge({ ...place, pull_number: 3, merge_method: 'merge' })).data
    assert.equal(merged.merged, true)

    // Friday: a commit closes the other issue, ada tidies up.
    await folder.must('checkout', '--quiet', 'main')
    const { token } = (await ada.auth()) as { token: string }
    await folder.must('pull', '--quiet', remoteUrl(server.url, `${owner}/${repo}`, 'ada', token), 'main')
    const closing = await commit('basket.txt', 'a basket\n', 'Add a basket\n\nCloses #2, see #1')
    await pushAs('cat', 'main')
    await until(async () => (await ada.issues.get({ ...place, issue_number: 2 })).data.state === 'closed')
    await ada.issues.lock({ ...place, issue_number: 1, lock_reason: 'resolved' })
    await ada.git.deleteRef({ ...place, ref: 'heads/tax' })

    const expected: Line[] = [
      'ben labeled 1 bug',
      'cat mentioned 1',
      'cat subscribed 1',
      'ada milestoned 2 v1',
      'ada assigned 2 ben by ada',
      'ada mentioned 1',
      'ada subscribed 1',
      'ben renamed 1 Prices are wrong → Prices lack the tax',
      'ada labeled 1 help wanted',
      'ada unlabeled 1 help wanted',
      'ben ready_for_review 3',
      'ben review_requested 3 cat',
      'cat review_dismissed 3 changes_requested',
      `ada merged 3 ${merged.sha}`,
      `ada closed 3 ${merged.sha}`,
      `ada closed 1 ${merged.sha}`,
      `cat referenced 2 ${closing}`,
      `cat closed 2 ${closing}`,
      `cat referenced 1 ${closing}`,
      'ada locked 1 resolved',
      'ada head_ref_deleted 3',
    ]
    await until(async () => (await readLog()).length >= expected.length)
    const log = await readLog()
    // A pull and an issue that one merge closes, or issues that one commit names, are told in whatever order.
    assert.deepEqual(log.toSorted(), expected.toSorted())
    const firstOf = (line: Line) => log.indexOf(line)
    assert.ok(
      firstOf(`ada merged 3 ${merged.sha}`) < firstOf(`ada closed 3 ${merged.sha}`),
      'a merge is merged, then closed',
    )
    assert.ok(firstOf('cat mentioned 1') < firstOf('cat subscribed 1'), 'a mention is mentioned, then subscribed')

    const ofFirst = (await ada.paginate(ada.issues.listEvents, { ...place, issue_number: 1 })) as Event[]
    assert.ok(ofFirst.every((event) => !('issue' in event)))
    assert.deepEqual(
      ofFirst.map(({ event }) => event),
      log.filter((line) => line.split(' ')[2] === '1').map((line) => line.split(' ')[1]),
      'oldest first',
    )
  })

  test('leaves everybody told of what concerns them, and of nothing else', async () => {
    const inboxes: Record<string, string[]> = {}
    await until(async () => {
      for (const [login, who] of Object.entries({ ada, ben, cat })) inboxes[login] = await readInbox(who)
      return inboxes.ada!.length === 3 && inboxes.ben!.length === 3 && inboxes.cat!.length === 3
    })
    // Ada watches what she made. That she merged is told to nobody by it: it would count for the next thing that is.
    assert.deepEqual(
      inboxes.ada!.toSorted(),
      ['mention Prices lack the tax', 'subscribed A basket', 'subscribed Add the tax'].toSorted(),
    )
    assert.deepEqual(
      inboxes.ben!.toSorted(),
      ['assign A basket', 'author Add the tax', 'author Prices lack the tax'].toSorted(),
    )
    assert.deepEqual(
      inboxes.cat!.toSorted(),
      ['author A basket', 'comment Prices lack the tax', 'comment Add the tax'].toSorted(),
    )
  })
}

type Event = { readonly event: string }

function spell(event: Record<string, unknown>): Line {
  const { actor, issue } = event as { actor: Named; issue: { number: number } }
  const about = tellMembers(event as Members)
  return [actor.login, event.event, issue.number, ...about].join(' ')
}

type Members = {
  readonly event: string
  readonly commit_id: string | null
  readonly label?: { name: string }
  readonly milestone?: { title: string }
  readonly assignee?: Named
  readonly assigner?: Named
  readonly rename?: { from: string; to: string }
  readonly lock_reason?: string | null
  readonly requested_reviewer?: Named
  readonly dismissed_review?: { state: string }
}

function tellMembers(event: Members): string[] {
  const { label, milestone, rename, assigner, requested_reviewer: reviewer, dismissed_review: dismissed } = event
  if (label) return [label.name]
  if (milestone) return [milestone.title]
  if (rename) return [`${rename.from} → ${rename.to}`]
  if (reviewer) return [reviewer.login]
  if (dismissed) return [dismissed.state]
  if (assigner) return [event.assignee?.login ?? '', 'by', assigner.login]
  if (event.event === 'locked') return [event.lock_reason ?? '']
  return event.commit_id ? [event.commit_id] : []
}
