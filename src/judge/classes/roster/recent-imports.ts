/** The imports of a class that can still be undone: whose accounts came within the last day, each by its moment. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import type { ClassAccess } from '../class-access.ts'

/** How long an import can be undone. */
export const undoableMs = 86_400_000
/** An account that an import made is not older than its membership, but for the time that the import took. */
const longestImportMs = 60_000

export type RecentImport = {
  readonly time: number
  readonly createdCount: number
  /** Of students who are still in the class: those whom it created, and those whom it added. */
  readonly accountNames: readonly string[]
}

export function makeRecentImports({ store, clock, access }: { store: Store; clock: Clock; access: ClassAccess }) {
  /** Newest first. A single account that a teacher added was no import. */
  return async (actor: Actor, publicId: string): Promise<RecentImport[]> => {
    const { id } = await access.teach(actor, publicId)
    const rows = await store.db
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .select(['account.name', 'account.created_at', 'joined_at', 'is_created_here', 'is_put_in'])
      .where('class_id', '=', id)
      .where('class_member.role', '=', 'student')
      .where('joined_at', '>=', clock.now() - undoableMs)
      .orderBy('joined_at', 'desc')
      .orderBy('account.name')
      .execute()
    const imported = rows
      .map((row) => ({
        ...row,
        isCreated: row.is_created_here === 1 && row.created_at >= row.joined_at - longestImportMs,
      }))
      .filter(({ isCreated, is_put_in }) => isCreated || is_put_in === 1)
    return [...Map.groupBy(imported, ({ joined_at }) => joined_at)]
      .map(([time, members]) => ({
        time,
        createdCount: members.filter(({ isCreated }) => isCreated).length,
        accountNames: members.map(({ name }) => name),
      }))
      .filter(({ createdCount, accountNames }) => createdCount > 0 || accountNames.length > 1)
  }
}
