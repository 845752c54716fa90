/** What the translation of an archive knows while it goes through the records. */
import type { RecordType } from '../../records/record-files.ts'
import type { LeavingOut } from './left-out.ts'
import type { People } from './people.ts'
import type { RawRecord } from './raw-record.ts'
import type { RecordWriter } from './record-writer.ts'
import type { Survey } from './survey.ts'
import type { Uploads } from './uploads.ts'

export type Context = {
  readonly origin: string
  readonly people: People
  readonly leavingOut: LeavingOut
  readonly writer: RecordWriter
  readonly survey: Survey
  readonly uploads: Uploads
  /** Addresses of the archive, in lower case, with those that they become. */
  readonly addresses: Addresses
  /** Reads the records of a type, by its plural. */
  read(plural: string): Iterable<RawRecord>
}

/** Things that other records name. */
export type AddressedType =
  | Exclude<RecordType, 'user' | 'organization' | 'issue_event' | 'release' | 'attachment'>
  | 'label'

export type Addresses = ReturnType<typeof makeAddresses>

export function makeAddresses() {
  const known = new Map<string, string>()
  const keyOf = (type: AddressedType, address: string) => `${type} ${address.toLowerCase()}`
  return {
    add(type: AddressedType, from: string, to: string): string {
      known.set(keyOf(type, from), to)
      return to
    },
    find: (type: AddressedType, from: string | null): string | null =>
      from === null ? null : (known.get(keyOf(type, from)) ?? null),
  }
}

/** The issue or pull that a record belongs to, with the member that names it; null if it is not in the archive. */
export function findSubject({ addresses }: Context, record: RawRecord) {
  const pull = addresses.find('pull_request', record.address('pull_request'))
  if (pull) return { pull_request: pull, address: pull }
  const issue = addresses.find('issue', record.address('issue'))
  return issue ? { issue, address: issue } : null
}

/** The commit or repository address that `https://…/owner/name/pull/1` begins with. */
export const repositoryOf = (address: string): string => address.replace(/\/(?:issues|pull)\/\d+$/, '')

const reactionWords = new Set(['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'eyes', 'rocket'])

export function translateReactions({ people, leavingOut }: Context, record: RawRecord): object[] {
  const seen = new Set<string>()
  return record.each('reactions').flatMap((one) => {
    const [content, user] = [one.word('content'), people.person(one.address('user'))]
    if (!reactionWords.has(content)) leavingOut.add('reactions of a kind that is not here')
    if (!reactionWords.has(content) || seen.has(`${user} ${content}`)) return []
    seen.add(`${user} ${content}`)
    return [{ user, content, created_at: one.time('created_at') }]
  })
}
