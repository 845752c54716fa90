/** Facts about issues and pulls that the public platform's archives tell only in events and in other records. */
import type { RawRecord } from './raw-record.ts'

type IssueFacts = {
  lockReason?: string | null
  isLocked?: boolean
  pinnedAt?: string | null
  closedBy?: string | null
  mergedBy?: string | null
  isHeadDeleted?: boolean
  mentions?: Set<string>
  /** The pulls that close it. */
  pulls?: Set<string>
  reviewers?: Set<string>
}

export type Survey = { factsOf(address: string): Readonly<IssueFacts> }

type Read = (plural: string) => Iterable<RawRecord>

const subjectOf = (record: RawRecord): string | null => record.address('pull_request', 'issue')

export function survey(read: Read): Survey {
  const known = new Map<string, IssueFacts>()
  function factsOf(address: string): IssueFacts {
    const facts = known.get(address.toLowerCase()) ?? {}
    known.set(address.toLowerCase(), facts)
    return facts
  }
  for (const record of read('issue_events')) {
    const address = subjectOf(record)
    if (address !== null) noteEvent(factsOf(address), record)
  }
  for (const record of read('pull_requests'))
    for (const one of record.each('close_issue_references')) {
      const address = one.address('issue')
      if (address === null) continue
      const facts = factsOf(address)
      facts.pulls ??= new Set()
      facts.pulls.add(record.demandAddress('url'))
    }
  for (const record of read('pull_request_reviews')) {
    const [pull, user] = [record.address('pull_request'), record.address('user')]
    if (pull === null || user === null) continue
    const facts = factsOf(pull)
    facts.reviewers ??= new Set()
    facts.reviewers.add(user.toLowerCase())
  }
  return { factsOf: (address) => known.get(address.toLowerCase()) ?? {} }
}

/** Events come in the order of their times: the last one counts. */
function noteEvent(facts: IssueFacts, record: RawRecord): void {
  const [event, actor] = [record.word('event'), record.address('actor')]
  if (event === 'locked' || event === 'unlocked') {
    facts.isLocked = event === 'locked'
    facts.lockReason = facts.isLocked ? record.textOrNull('lock_reason', 100) : null
  } else if (event === 'pinned' || event === 'unpinned')
    facts.pinnedAt = event === 'pinned' ? record.time('created_at') : null
  else if (event === 'closed' || event === 'reopened') facts.closedBy = event === 'closed' ? actor : null
  else if (event === 'merged') facts.mergedBy = actor
  else if (event === 'head_ref_deleted' || event === 'head_ref_restored')
    facts.isHeadDeleted = event === 'head_ref_deleted'
  else if (event === 'mentioned' && actor !== null) {
    facts.mentions ??= new Set()
    facts.mentions.add(actor)
  }
}
