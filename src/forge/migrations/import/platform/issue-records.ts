/** Translates milestones, issues and pulls. */
import { isBranchName } from '../../../git/ref-name.ts'
import { lengths } from '../reading/fields.ts'
import { type Context, translateReactions } from './context.ts'
import type { RawRecord } from './raw-record.ts'

export function translateMilestones(context: Context): void {
  const { people, writer, addresses, leavingOut } = context
  for (const record of context.read('milestones')) {
    const repository = addresses.find('repository', record.address('repository'))
    if (repository === null) {
      leavingOut.add('milestones of repositories that are not in the archive')
      continue
    }
    const url = `${repository}/milestone/${record.numberOf('url')}`
    const isClosed = record.word('state') === 'closed' || record.has('closed_at')
    writer.add({
      type: 'milestone',
      url: addresses.add('milestone', record.demandAddress('url'), url),
      repository,
      user: people.person(record.address('user')),
      title: record.text('title'),
      description: record.textOrNull('description', lengths.text),
      state: isClosed ? 'closed' : 'open',
      due_on: record.timeOrNull('due_on'),
      closed_at: isClosed ? (record.timeOrNull('closed_at') ?? record.timeOrNull('updated_at')) : null,
      created_at: record.time('created_at'),
      updated_at: record.timeOrNull('updated_at'),
    })
  }
}

/** Gives issues and pulls their addresses before any record that names one. */
export function placeIssues({ read, addresses, leavingOut }: Context): void {
  for (const [plural, type, word] of [
    ['issues', 'issue', 'issues'],
    ['pull_requests', 'pull_request', 'pull'],
  ] as const)
    for (const record of read(plural)) {
      const repository = addresses.find('repository', record.address('repository'))
      if (repository === null) leavingOut.add(`${plural.replace('_', ' ')} of repositories that are not in the archive`)
      else if (type === 'pull_request' && !hasBranches(record)) leavingOut.add('pull requests without their commits')
      else addresses.add(type, record.demandAddress('url'), `${repository}/${word}/${record.numberOf('url')}`)
    }
}

function hasBranches(record: RawRecord): boolean {
  const ends = [record.object('base'), record.object('head')]
  return ends.every((end) => end !== null && end.sha('sha') !== null && isBranchName(end.text('ref', 255)))
}

const reasons = ['completed', 'not_planned', 'duplicate']
const lockReasons = ['off-topic', 'too heated', 'resolved', 'spam']

function translateMembers(context: Context, record: RawRecord, url: string) {
  const { people, addresses, survey, leavingOut, uploads } = context
  const facts = survey.factsOf(record.demandAddress('url'))
  const labels = record.texts('labels').map((label) => addresses.find('label', label))
  leavingOut.add('labels that no longer exist', labels.filter((label) => label === null).length)
  const milestone = addresses.find('milestone', record.address('milestone'))
  if (milestone === null && record.has('milestone')) leavingOut.add('milestones that no longer exist')
  const closedAt = record.timeOrNull('closed_at') ?? record.timeOrNull('merged_at')
  const repository = addresses.find('repository', record.address('repository'))!
  const own = (address: string | null): address is string => address?.startsWith(`${repository}/`) === true
  return {
    url,
    repository,
    user: people.person(record.address('user')),
    title: record.text('title'),
    body: uploads.rewriteOrNull(record.textOrNull('body', lengths.text)),
    assignees: people.users([...record.texts('assignees'), record.address('assignee')]),
    milestone: own(milestone) ? milestone : null,
    labels: [...new Set(labels.filter(own))],
    reactions: translateReactions(context, record),
    state: closedAt === null ? 'open' : 'closed',
    locked: facts.isLocked ?? false,
    lock_reason: lockReasons.find((reason) => reason === facts.lockReason) ?? null,
    pinned_at: facts.pinnedAt ?? null,
    closed_by: closedAt === null ? null : people.personOrNull(facts.closedBy ?? null),
    mentions: people.users([...(facts.mentions ?? [])]),
    closed_at: closedAt,
    created_at: record.time('created_at'),
    updated_at: record.timeOrNull('updated_at') ?? closedAt,
  }
}

export function translateIssues(context: Context): void {
  const { addresses, survey, writer } = context
  for (const record of context.read('issues')) {
    const url = addresses.find('issue', record.address('url'))
    if (url === null) continue
    const members = translateMembers(context, record, url)
    const pulls = [...(survey.factsOf(record.demandAddress('url')).pulls ?? [])]
    const reason = reasons.find((one) => one === record.word('state_reason')) ?? 'completed'
    writer.add({
      type: 'issue',
      ...members,
      state_reason: members.closed_at === null ? null : reason,
      connected_pulls: [...new Set(pulls.flatMap((pull) => addresses.find('pull_request', pull) ?? []))],
    })
  }
}

export function translatePulls(context: Context): void {
  const { addresses, people, survey, writer } = context
  for (const record of context.read('pull_requests')) {
    const url = addresses.find('pull_request', record.address('url'))
    if (url === null) continue
    const [base, head] = [record.object('base')!, record.object('head')!]
    const facts = survey.factsOf(record.demandAddress('url'))
    const mergedAt = record.timeOrNull('merged_at')
    const members = translateMembers(context, record, url)
    const headRepository = addresses.find('repository', head.address('repo'))
    writer.add({
      type: 'pull_request',
      ...members,
      base: { ref: base.text('ref', 255), sha: base.sha('sha') },
      head: {
        ref: head.text('ref', 255),
        sha: head.sha('sha'),
        user: people.personOrNull(head.address('user')),
        repo: headRepository,
      },
      head_deleted: facts.isHeadDeleted ?? false,
      review_requests: members.closed_at === null ? translateRequests(context, record) : [],
      draft: record.flag('work_in_progress', record.flag('draft')),
      merged_at: mergedAt,
      merged_by: mergedAt === null ? null : people.personOrNull(facts.mergedBy ?? facts.closedBy ?? null),
      merge_commit_sha: mergedAt === null ? null : record.sha('merge_commit_sha'),
    })
  }
}

/** Requests stay in the archive when they are answered: those who have reviewed are left out. */
function translateRequests({ addresses, people, survey }: Context, record: RawRecord): object[] {
  const { reviewers } = survey.factsOf(record.demandAddress('url'))
  const open = record.each('review_requests').filter((one) => !one.has('dismissed_at'))
  const asked = open.map((one) => one.address('reviewer')).filter((one) => one !== null)
  const teams = asked.flatMap((one) => addresses.find('team', one) ?? [])
  const waiting = asked.filter((one) => !/\/teams\//.test(one) && !reviewers?.has(one.toLowerCase()))
  return [...people.users(waiting).map((reviewer) => ({ reviewer })), ...[...new Set(teams)].map((team) => ({ team }))]
}
