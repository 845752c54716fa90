/** The context that all writers of an import share: the transaction, the mapped addresses, and the kept ids. */
import type { Insertable } from 'kysely'
import { makeSlices } from '../../../../lib/scheduling/slices.ts'
import type { Blob } from '../../../../store/files/blobs.ts'
import { reserveIds } from '../../../../store/reserved-ids.ts'
import type { ReactionSubject } from '../../../../store/schema/issue-tables.ts'
import type { Db, Schema } from '../../../../store/schema/schema.ts'
import type { Store } from '../../../../store/store.ts'
import type { AddressIndex } from '../address-index.ts'
import type { CheckedArchive, IdTable } from '../archive-checks.ts'
import type { Reaction } from '../definitions/definition.ts'
import type { Refs } from '../git-import.ts'
import type { ImportPlan } from '../planning.ts'

/** A repository that is ready to be moved into its place. */
export type ReadyRepository = {
  readonly draft: string
  readonly wikiDraft: string | null
  readonly wikiSizeKib: number
  readonly refs: Refs
  readonly sizeKib: number
}

export type ReadyFile = Blob & { readonly contentType: string }

export type WriteContext = {
  readonly trx: Db
  readonly engine: Store['engine']
  readonly now: number
  readonly checked: CheckedArchive
  readonly plan: ImportPlan
  readonly index: AddressIndex
  /** By the address of the record. */
  readonly ready: ReadonlyMap<string, ReadyRepository>
  /** By their paths in the archive. */
  readonly files: ReadonlyMap<string, ReadyFile>
  /** Tables whose rows keep their ids from the archive, because no row here has them. */
  readonly keptIds: ReadonlySet<IdTable>
  /** Rewrites links to attachments to their addresses here. */
  rewrite(text: string): string
  rewriteOrNull(text: string | null): string | null
  /** The uuid that an attachment has here. */
  uuidOf(uuid: string): string
  /** By the repository's address: its id, its owner, and the push that stands for its imported git data. */
  readonly made: Map<string, MadeRepository>
}

export type MadeRepository = { readonly id: number; readonly ownerId: number; readonly pushId: number }

export const idsFor = async (
  { trx, engine, keptIds }: WriteContext,
  table: IdTable,
  records: readonly { readonly id: number | null }[],
): Promise<number[]> =>
  keptIds.has(table) ? records.map(({ id }) => id!) : reserveIds(engine, trx, table, records.length)

const portion = 200

export async function insertRows<T extends keyof Schema & string>(
  trx: Db,
  table: T,
  rows: readonly Insertable<Schema[T]>[],
): Promise<void> {
  const slices = makeSlices()
  for (let at = 0; at < rows.length; at += portion) {
    if (slices.isDue()) await slices.pause()
    await trx
      .insertInto(table)
      .values(rows.slice(at, at + portion) as never)
      .execute()
  }
}

type Reacted = { readonly id: number; readonly repositoryId: number; readonly reactions: readonly Reaction[] }

export const insertReactions = ({ trx, index }: WriteContext, kind: ReactionSubject, subjects: readonly Reacted[]) =>
  insertRows(
    trx,
    'reaction',
    subjects.flatMap(({ id, repositoryId, reactions }) =>
      reactions.map(({ user, content, createdAt }) => ({
        subject_kind: kind,
        subject_id: id,
        repository_id: repositoryId,
        user_id: index.idOf(user),
        content,
        created_at: createdAt,
      })),
    ),
  )
