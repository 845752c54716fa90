/** Records of milestones and issues, and the members that issues and pulls share. */
import { type AddressIndex, anyAccount, issueOrPull } from '../address-index.ts'
import { type Fields, lengths } from '../reading/fields.ts'
import { demandImport } from '../refusal.ts'
import { checkReactions, type Definition, readReactions } from './definition.ts'

export type MilestoneRecord = ReturnType<typeof readMilestone>
export type IssueMembers = ReturnType<typeof readIssueMembers>
export type IssueRecord = ReturnType<typeof readIssue>

/** The greatest number of an issue or a milestone. */
const maxNumber = 2_147_483_647
const stateWords = ['open', 'closed'] as const
const reasonWords = ['completed', 'not_planned', 'reopened', 'duplicate'] as const

function readMilestone(fields: Fields) {
  const repository = fields.address('repository')
  return {
    url: fields.address('url'),
    repository,
    number: fields.numberAfter('url', `${repository}/milestone/`, maxNumber),
    creator: fields.address('user'),
    title: fields.text('title', lengths.line, 0),
    description: fields.textOrNull('description', lengths.text),
    state: fields.oneOf('state', stateWords),
    dueOn: fields.timeOrNull('due_on'),
    closedAt: fields.timeOrNull('closed_at'),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export const milestone: Definition<MilestoneRecord> = {
  type: 'milestone',
  read: readMilestone,
  check(record, index, place) {
    index.add('milestone', record.url, place)
    index.expect(['repository'], record.repository, place)
    index.expect(anyAccount, record.creator, place)
    index.claim(`the milestone ${record.title.toLowerCase()} of ${record.repository}`, place)
  },
}

/** Reads the members that issues and pulls share. */
export function readIssueMembers(fields: Fields, word: 'issues' | 'pull') {
  const repository = fields.address('repository')
  return {
    url: fields.address('url'),
    repository,
    number: fields.numberAfter('url', `${repository}/${word}/`, maxNumber),
    author: fields.address('user'),
    title: fields.text('title', lengths.line, 0),
    body: fields.textOrNull('body', lengths.text),
    assignees: fields.addresses('assignees'),
    milestone: fields.addressOrNull('milestone'),
    labels: fields.addresses('labels'),
    reactions: readReactions(fields),
    state:
      fields.oneOfOrNull('state', stateWords) ?? (fields.has('closed_at') ? ('closed' as const) : ('open' as const)),
    stateReason: fields.oneOfOrNull('state_reason', reasonWords),
    isLocked: fields.flag('locked'),
    lockReason: fields.textOrNull('lock_reason', 100),
    pinnedAt: fields.timeOrNull('pinned_at'),
    duplicateOf: fields.addressOrNull('duplicate_of'),
    closedBy: fields.addressOrNull('closed_by'),
    mentions: fields.addresses('mentions'),
    crossReferences: fields.each('cross_references', (one) => ({
      source: one.address('source'),
      actor: one.address('actor'),
      createdAt: one.time('created_at'),
    })),
    connectedPulls: fields.addresses('connected_pulls'),
    formerPlaces: fields.each('former_places', (one) => ({
      repository: one.address('repository'),
      number: one.whole('number', 1, maxNumber),
    })),
    closedAt: fields.timeOrNull('closed_at'),
    createdAt: fields.time('created_at'),
    updatedAt: fields.timeOrNull('updated_at') ?? fields.time('created_at'),
  }
}

export function checkIssueMembers(record: IssueMembers, index: AddressIndex, place: string): void {
  index.claim(`the number ${record.number} of ${record.repository}`, place)
  index.expect(['repository'], record.repository, place)
  index.expect(['milestone'], record.milestone, place)
  index.expect(issueOrPull, record.duplicateOf, place)
  for (const person of [record.author, record.closedBy, ...record.mentions]) index.expect(anyAccount, person, place)
  for (const person of record.assignees) index.expect(['user'], person, place)
  for (const label of record.labels) index.expect(['label'], label, place)
  for (const { source, actor } of record.crossReferences) {
    index.expect(issueOrPull, source, place)
    index.expect(anyAccount, actor, place)
  }
  for (const { repository, number } of record.formerPlaces) {
    index.expect(['repository'], repository, place)
    index.claim(`the number ${number} of ${repository}`, place)
  }
  for (const pull of record.connectedPulls) index.expect(['pull'], pull, place)
  for (const list of [record.assignees, record.mentions, record.labels, record.connectedPulls])
    demandImport(new Set(list).size === list.length, `${place} names somebody or something twice.`)
  checkReactions(record.reactions, index, place)
  demandInside(record, place)
}

/** Labels and milestones must be of the issue's own repository. */
function demandInside({ repository, labels, milestone: given }: IssueMembers, place: string): void {
  const foreign = [...labels, ...(given === null ? [] : [given])].find(
    (address) => !address.startsWith(`${repository}/`),
  )
  demandImport(foreign === undefined, `${place} names ${foreign}, which is another repository’s.`)
}

const readIssue = (fields: Fields) => readIssueMembers(fields, 'issues')

export const issue: Definition<IssueRecord> = {
  type: 'issue',
  read: readIssue,
  check(record, index, place) {
    index.add('issue', record.url, place)
    checkIssueMembers(record, index, place)
  },
}
