/** Writes all rows of an import in one transaction, in the order in which they refer to each other. */
import { randomUUID } from 'node:crypto'
import { advanceSequence } from '../../../../store/reserved-ids.ts'
import type { Db } from '../../../../store/schema/schema.ts'
import type { Store } from '../../../../store/store.ts'
import type { CheckedArchive, IdTable } from '../archive-checks.ts'
import type { ImportPlan } from '../planning.ts'
import {
  writeCommitComments,
  writeIssueComments,
  writeIssueEvents,
  writeReviewComments,
  writeReviews,
} from './comment-writing.ts'
import { writeCounts } from './counts.ts'
import { writeAttachments, writeReleases } from './file-writing.ts'
import { writeIssuesAndPulls, writeMilestones } from './issue-writing.ts'
import { writePeople } from './people-writing.ts'
import { writeProtectedBranches, writeRepositories } from './repository-writing.ts'
import type { MadeRepository, ReadyFile, ReadyRepository, WriteContext } from './write-context.ts'

type Needs = {
  readonly trx: Db
  readonly engine: Store['engine']
  readonly now: number
  readonly checked: CheckedArchive
  readonly plan: ImportPlan
  readonly ready: ReadonlyMap<string, ReadyRepository>
  readonly files: ReadonlyMap<string, ReadyFile>
  /** The web address of this server. */
  readonly origin: string
}

/** Answers the new repositories, by their addresses in the archive. */
export async function writeAll({ origin, ...needs }: Needs): Promise<ReadonlyMap<string, MadeRepository>> {
  const { trx, engine, checked } = needs
  const uuids = await chooseUuids(trx, checked.attachmentUuids)
  const rewrite = makeRewriting(checked.origin, origin, uuids)
  const context: WriteContext = {
    ...needs,
    index: checked.index,
    keptIds: await findKeptIds(engine, trx, checked),
    rewrite,
    rewriteOrNull: (text) => (text === null ? null : rewrite(text)),
    uuidOf: (uuid) => uuids.get(uuid)!,
    made: new Map(),
  }
  await writePeople(context)
  await writeRepositories(context)
  await writeProtectedBranches(context)
  await writeMilestones(context)
  await writeIssuesAndPulls(context)
  await writeReviews(context)
  await writeReviewComments(context)
  await writeIssueComments(context)
  await writeIssueEvents(context)
  await writeCommitComments(context)
  await writeReleases(context)
  await writeAttachments(context)
  await writeCounts(context)
  return context.made
}

/** How far beyond the last id here the archive's ids may reach: it must not use up the ids for others. */
const maxAhead = 100_000_000

/**
 * Ids of comments, reviews and events are part of their web addresses, and texts link to them. A table keeps them if no
 * row here has an id in their range.
 */
async function findKeptIds(
  engine: Store['engine'],
  trx: Db,
  { ranges }: CheckedArchive,
): Promise<ReadonlySet<IdTable>> {
  const kept = new Set<IdTable>()
  for (const [table, { least, most }] of ranges) {
    const { last } = await trx
      .selectFrom(table)
      .select((eb) => eb.fn.max<number | null>('id').as('last'))
      .executeTakeFirstOrThrow()
    const within = trx.selectFrom(table).select('id').where('id', '>=', least).where('id', '<=', most).limit(1)
    const isFree = (await within.executeTakeFirst()) === undefined
    if (!isFree || most > Number(last ?? 0) + maxAhead) continue
    await advanceSequence(engine, trx, table, most)
    kept.add(table)
  }
  return kept
}

/** An attachment keeps its uuid, unless one here has it: then it gets a new one. */
async function chooseUuids(trx: Db, uuids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const drawn = new Map<string, string>()
  for (let at = 0; at < uuids.length; at += 500) {
    const some = uuids.slice(at, at + 500)
    const rows = await trx.selectFrom('attachment').select('uuid').where('uuid', 'in', some).execute()
    const taken = new Set(rows.map(({ uuid }) => uuid))
    for (const uuid of some) drawn.set(uuid, taken.has(uuid) ? randomUUID() : uuid)
  }
  return drawn
}

const attached = /\/-\/attachments\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\//g

/** Rewrites the addresses of imported attachments in a text to those here. */
function makeRewriting(from: string, to: string, uuids: ReadonlyMap<string, string>): (text: string) => string {
  return (text) => {
    if (!text.includes('/-/attachments/')) return text
    let result = ''
    let last = 0
    for (const { 0: found, 1: uuid = '', index: at } of text.matchAll(attached)) {
      const here = uuids.get(uuid)
      if (here === undefined) continue
      const start = text.startsWith(from, at - from.length) ? at - from.length : at
      result += `${text.slice(last, start)}${start < at ? to : ''}/-/attachments/${here}/`
      last = at + found.length
    }
    return result + text.slice(last)
  }
}
