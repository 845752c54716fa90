/** Translates the events of issues and pulls. Those of kinds that are not here are left out. */
import { type Context, findSubject, repositoryOf } from './context.ts'
import type { RawRecord } from './raw-record.ts'

/** What else an event carries, or null if something that it needs is missing. */
type Carry = (context: Context, record: RawRecord) => object | null

const nothing: Carry = () => ({})

/** The public platform writes the assignee as the actor, and who assigned them as the subject. */
const assignment: Carry = ({ people }, record) => {
  const assigner = people.person(record.address('subject') ?? record.address('actor'))
  return { actor: assigner, assigner, assignee: people.person(record.address('actor')) }
}

const label: Carry = (_context, record) => {
  const name = record.text('label_name', 255)
  const color = record.word('label_color').replace(/^#/, '')
  return name === '' ? null : { label: { name, color: /^[0-9a-f]{6}$/.test(color) ? color : 'ededed' } }
}

const milestone: Carry = (_context, record) => {
  const title = record.textOrNull('milestone_title')
  return title === null ? null : { milestone: { title } }
}

const request: Carry = ({ people, addresses }, record) => {
  const requester = people.person(record.address('actor'))
  const subject = record.address('subject')
  if (subject === null) return null
  const team = addresses.find('team', subject)
  if (team === null && /\/teams\//.test(subject)) return null
  const asked = team === null ? { requested_reviewer: people.person(subject) } : { requested_team: team }
  return { review_requester: requester, ...asked }
}

const kinds: Readonly<Record<string, Carry>> = {
  assigned: assignment,
  unassigned: assignment,
  labeled: label,
  unlabeled: label,
  milestoned: milestone,
  demilestoned: milestone,
  renamed: (_context, record) => ({ rename: { from: record.text('title_was'), to: record.text('title_is') } }),
  closed: (_context, record) => ({ state_reason: record.textOrNull('state_reason', 100) }),
  reopened: nothing,
  locked: (_context, record) => ({ lock_reason: record.textOrNull('lock_reason', 100) }),
  unlocked: nothing,
  pinned: nothing,
  unpinned: nothing,
  transferred: nothing,
  mentioned: nothing,
  subscribed: nothing,
  referenced: nothing,
  merged: nothing,
  head_ref_deleted: nothing,
  head_ref_restored: nothing,
  head_ref_force_pushed: nothing,
  base_ref_changed: nothing,
  base_ref_force_pushed: nothing,
  convert_to_draft: nothing,
  ready_for_review: nothing,
  review_requested: request,
  review_request_removed: request,
  marked_as_duplicate: nothing,
  unmarked_as_duplicate: nothing,
  connected: nothing,
  disconnected: nothing,
  comment_deleted: nothing,
  user_blocked: nothing,
}

export function translateEvents(context: Context): void {
  const { people, writer, leavingOut } = context
  for (const record of context.read('issue_events')) {
    const event = record.word('event')
    const carry = Object.hasOwn(kinds, event) ? kinds[event] : undefined
    const subject = findSubject(context, record)
    if (!subject) leavingOut.add('events of what is not in the archive')
    const carried = subject && carry ? carry(context, record) : null
    if (subject && carried === null) leavingOut.add(`events of the kind ${/^\w{1,60}$/.test(event) ? event : 'other'}`)
    if (!subject || carried === null) continue
    const { address, ...names } = subject
    writer.add({
      type: 'issue_event',
      url: `${address}#event-${record.numberOf('url')}`,
      ...names,
      actor: people.person(record.address('actor')),
      event,
      commit_id: findCommit(context, record, address),
      ...carried,
      created_at: record.time('created_at'),
    })
  }
}

/** A commit of another repository may be private, or nowhere here. */
function findCommit({ addresses }: Context, record: RawRecord, address: string): string | null {
  const elsewhere = record.address('commit_repository')
  const isOwn = elsewhere === null || addresses.find('repository', elsewhere) === repositoryOf(address)
  return isOwn ? (record.sha('commit_id') ?? record.sha('after_commit_oid')) : null
}
