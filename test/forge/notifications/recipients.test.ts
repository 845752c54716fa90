/** Who is told of what, and why: every act × what a person has to do with it. The cells are written from the contract, not from the code. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Activity, ConsumedActivity } from '../../../src/forge/activity/activity.ts'
import { toNotifyingAct } from '../../../src/forge/notifications/delivery/notifying-acts.ts'
import { chooseReason, type Reason } from '../../../src/forge/notifications/delivery/reasons.ts'
import { decideOutcome, type Standing } from '../../../src/forge/notifications/delivery/recipients.ts'

const [actor, person, member] = [1, 2, 3]
const team = 9
const nobody = { users: [], teams: [] }
const person2 = { users: [person], teams: [] }
const crew = { users: [], teams: [team] }
const of = { actorId: actor, repositoryId: 5, subjectId: 7 }

/** An act as the table below names it. */
const acts: Record<string, Activity> = {
  opens: { kind: 'issue-opened', ...of, data: { mentions: nobody, assigneeIds: [] } },
  'opens, naming them': { kind: 'issue-opened', ...of, data: { mentions: person2, assigneeIds: [] } },
  'opens, naming their team': { kind: 'issue-opened', ...of, data: { mentions: crew, assigneeIds: [] } },
  'edits, adding nobody': { kind: 'issue-edited', ...of, data: { mentions: nobody } },
  'edits, adding them': { kind: 'issue-edited', ...of, data: { mentions: person2 } },
  comments: { kind: 'issue-commented', ...of, data: { commentId: 8, mentions: nobody } },
  'comments, naming them': { kind: 'issue-commented', ...of, data: { commentId: 8, mentions: person2 } },
  'comments, naming their team': { kind: 'issue-commented', ...of, data: { commentId: 8, mentions: crew } },
  'comments, naming both': {
    kind: 'issue-commented',
    ...of,
    data: { commentId: 8, mentions: { users: [person], teams: [team] } },
  },
  'edits a comment, adding them': { kind: 'comment-edited', ...of, data: { commentId: 8, mentions: person2 } },
  assigns: { kind: 'issue-assigned', ...of, data: { assigneeId: person } },
  'assigns another': { kind: 'issue-assigned', ...of, data: { assigneeId: member } },
  unassigns: { kind: 'issue-unassigned', ...of, data: { assigneeId: person } },
  'asks for review': { kind: 'review-requested', ...of, data: { reviewerId: person } },
  'asks their team for review': { kind: 'review-requested', ...of, data: { teamId: team } },
  closes: { kind: 'issue-closed', ...of },
  reopens: { kind: 'issue-reopened', ...of },
  merges: { kind: 'pull-merged', ...of },
  pushes: { kind: 'pull-pushed', ...of },
  reviews: { kind: 'pull-reviewed', ...of, data: { reviewId: 8, mentions: nobody } },
  'comments on lines': { kind: 'review-commented', ...of, data: { commentId: 8, mentions: nobody } },
  releases: { kind: 'release-published', ...of, data: { mentions: nobody } },
  'comments on their commit': {
    kind: 'commit-commented',
    ...of,
    data: { mentions: nobody, sha: 'a'.repeat(40), title: 'One', authorId: person },
  },
  'comments on a commit': {
    kind: 'commit-commented',
    ...of,
    data: { mentions: nobody, sha: 'a'.repeat(40), title: 'One', authorId: null },
  },
}

const usual: Standing = {
  mayRead: true,
  isExcluded: false,
  watching: 'none',
  subscription: 'none',
  storedReason: null,
}
const people: Record<string, Standing> = {
  stranger: usual,
  watcher: { ...usual, watching: 'watching' },
  follower: { ...usual, subscription: 'subscribed', storedReason: 'manual' },
  author: { ...usual, subscription: 'subscribed', storedReason: 'author', watching: 'watching' },
  ignorer: { ...usual, subscription: 'ignored', watching: 'watching' },
  leaver: { ...usual, subscription: 'muted' },
  'watching leaver': { ...usual, subscription: 'muted', watching: 'watching' },
  'ignorer of all': { ...usual, subscription: 'subscribed', storedReason: 'author', watching: 'ignoring' },
  outsider: { ...usual, mayRead: false, watching: 'watching', subscription: 'subscribed', storedReason: 'author' },
  excluded: { ...usual, isExcluded: true, watching: 'watching', subscription: 'subscribed', storedReason: 'author' },
}

/** What each gets: a reason, or `-` for nothing. A column for each person, in the order above. */
const table: Record<string, string> = {
  //                               stranger         watcher          follower         author           ignorer leaver  w. leaver  all out susp
  opens:
    '                         -                subscribed       manual           author           -       -       subscribed - - -',
  'opens, naming them':
    '          mention          mention          mention          mention          mention mention mention    - - -',
  'opens, naming their team':
    '    team_mention     team_mention     team_mention     team_mention     -       -       subscribed - - -',
  'edits, adding nobody':
    '        -                -                -                -                -       -       -          - - -',
  'edits, adding them':
    '          mention          mention          mention          mention          mention mention mention    - - -',
  comments:
    '                      -                subscribed       manual           author           -       -       subscribed - - -',
  'comments, naming them':
    '       mention          mention          mention          mention          mention mention mention    - - -',
  'comments, naming their team':
    ' team_mention     team_mention     team_mention     team_mention     -       -       subscribed - - -',
  'comments, naming both':
    '       mention          mention          mention          mention          mention mention mention    - - -',
  'edits a comment, adding them':
    'mention          mention          mention          mention          mention mention mention    - - -',
  assigns:
    '                       assign           assign           assign           assign           -       -       subscribed - - -',
  'assigns another':
    '             -                subscribed       manual           author           -       -       subscribed - - -',
  unassigns:
    '                     -                -                -                -                -       -       -          - - -',
  'asks for review':
    '             review_requested review_requested review_requested review_requested -       -       subscribed - - -',
  'asks their team for review':
    '  review_requested review_requested review_requested review_requested -       -       subscribed - - -',
  closes:
    '                        -                subscribed       manual           author           -       -       subscribed - - -',
  reopens:
    '                       -                subscribed       manual           author           -       -       subscribed - - -',
  merges:
    '                        -                subscribed       manual           author           -       -       subscribed - - -',
  pushes:
    '                        -                subscribed       manual           author           -       -       subscribed - - -',
  reviews:
    '                       -                subscribed       manual           author           -       -       subscribed - - -',
  'comments on lines':
    '           -                subscribed       manual           author           -       -       subscribed - - -',
  releases:
    '                      -                subscribed       manual           author           -       -       subscribed - - -',
  'comments on their commit':
    '    author           author           author           author           -       -       subscribed - - -',
  'comments on a commit':
    '        -                subscribed       manual           author           -       -       subscribed - - -',
}

/** What becomes of one's own standing by one's own act: the subscription and the reason that is kept. */
const ownTable: Record<string, string> = {
  //                         stranger                 author                   ignorer               leaver
  opens: '                   subscribed:author        subscribed:author        subscribed:author     subscribed:author',
  comments:
    '                subscribed:comment       subscribed:comment       subscribed:comment    subscribed:comment',
  reviews:
    '                 subscribed:comment       subscribed:comment       subscribed:comment    subscribed:comment',
  'comments on lines':
    '     subscribed:comment       subscribed:comment       subscribed:comment    subscribed:comment',
  'comments on a commit':
    '  subscribed:comment       subscribed:comment       subscribed:comment    subscribed:comment',
  closes: '                  subscribed:state_change  subscribed:state_change  ignored:-             muted:-',
  reopens: '                 subscribed:state_change  subscribed:state_change  ignored:-             muted:-',
  merges: '                  subscribed:state_change  subscribed:state_change  ignored:-             muted:-',
  pushes: '                  none:-                   subscribed:author        ignored:-             muted:-',
  'edits, adding nobody': '  none:-                   subscribed:author        ignored:-             muted:-',
  'assigns another': '       none:-                   subscribed:author        ignored:-             muted:-',
}

function actFor(name: string, userId: number) {
  const act = toNotifyingAct({ ...acts[name]!, id: 1, createdAt: new Date(0) } as ConsumedActivity)
  if (!act) return undefined
  const users = act.users.filter(({ id }) => id === userId).map(({ reason }) => reason)
  const teams = act.teams.map(({ reason }) => reason)
  const isActor = userId === actor
  return { isActor, own: act.own, named: isActor ? [] : [...users, ...teams], reach: act.reach }
}

describe('recipients', () => {
  for (const [name, row] of Object.entries(table)) {
    const cells = row.trim().split(/\s+/)
    test(`somebody ${name}`, () => {
      assert.equal(cells.length, Object.keys(people).length)
      const act = actFor(name, person)
      const found = Object.values(people).map((standing) => (act && decideOutcome(act, standing).delivered) ?? '-')
      assert.deepEqual(found, cells)
    })
  }

  test('every act has a row', () => {
    assert.deepEqual(Object.keys(acts).sort(), Object.keys(table).sort())
  })

  for (const [name, row] of Object.entries(ownTable)) {
    test(`one ${name} oneself, which is delivered to nobody who does it`, () => {
      const standings = [people.stranger, people.author, people.ignorer, people.leaver]
      const outcomes = standings.map((standing) => decideOutcome(actFor(name, actor)!, standing!))
      assert.deepEqual(
        outcomes.map(({ subscription, storedReason }) => `${subscription}:${storedReason ?? '-'}`),
        row.trim().split(/\s+/),
      )
      assert.deepEqual(
        outcomes.map(({ delivered }) => delivered),
        [undefined, undefined, undefined, undefined],
      )
    })
  }

  test('what names somebody is kept: the next comment comes with it', () => {
    const kept = [
      'mention',
      'team_mention',
      'assign',
      'review_requested',
      'author',
      'comment',
      'state_change',
      'manual',
    ]
    for (const reason of kept as Reason[]) {
      const named = { isActor: false, named: [reason], reach: 'everyone' } as const
      const after = decideOutcome(named, usual)
      assert.deepEqual(after, { subscription: 'subscribed', storedReason: reason, delivered: reason })
      const next = decideOutcome({ ...named, named: [] }, { ...usual, ...after })
      assert.equal(next.delivered, reason)
    }
    for (const reason of ['ci_activity', 'security_alert', 'invitation', 'approval_requested'] as Reason[]) {
      const after = decideOutcome({ isActor: false, named: [reason], reach: 'named' }, people.author!)
      assert.deepEqual(after, { subscription: 'subscribed', storedReason: 'author', delivered: reason })
    }
  })

  test('of several reasons the first in the order of the contract counts', () => {
    const order = [
      'mention',
      'team_mention',
      'assign',
      'review_requested',
      'author',
      'comment',
      'state_change',
      'manual',
      'subscribed',
    ] as const
    for (const [i, first] of order.entries())
      for (const second of order.slice(i)) {
        assert.equal(chooseReason([first, second]), first)
        assert.equal(chooseReason([second, first]), first)
      }
  })

  test('who is mentioned by name after all follows what they ignored or left', () => {
    for (const standing of [people.ignorer!, people.leaver!, people['watching leaver']!]) {
      const { subscription, storedReason } = decideOutcome(actFor('comments, naming them', person)!, standing)
      assert.deepEqual([subscription, storedReason], ['subscribed', 'mention'])
      for (const name of ['assigns', 'comments, naming their team', 'asks for review']) {
        const { delivered: _, ...kept } = decideOutcome(actFor(name, person)!, standing)
        assert.deepEqual(kept, { subscription: standing.subscription, storedReason: null }, name)
      }
    }
  })
})
