/** Undoes an import of a roster: deletes accounts that nobody has used, and removes added accounts from the class. */
import type { Accounts } from '../../../accounts/accounts.ts'
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { ClassAccess } from '../class-access.ts'
import { endMembership } from '../left-students.ts'
import { undoableMs } from './recent-imports.ts'

export type UndoneRow = {
  readonly accountName: string
  readonly act: 'delete' | 'remove' | 'keep'
  /** The reason why it is kept; empty otherwise. */
  readonly reason: string
}

type Needs = { store: Store; clock: Clock; access: ClassAccess; accounts: Pick<Accounts, 'deleteUnused'> }

export function makeRosterUndo({ store, clock, access, accounts }: Needs) {
  async function findMember(db: Db, classId: number, accountName: string) {
    return db
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .select(['account.id', 'account.name', 'joined_at', 'is_created_here', 'is_put_in'])
      .where('class_id', '=', classId)
      .where('class_member.role', '=', 'student')
      .where('account.name_key', '=', accountName.toLowerCase())
      .executeTakeFirst()
  }

  /** Marks, extensions and other classes are teachers' work, which an undo must not delete. */
  async function isKnownElsewhere(db: Db, classId: number, accountId: number): Promise<boolean> {
    const found = await db
      .selectFrom('class_member')
      .select('class_id as id')
      .where('class_id', '!=', classId)
      .where('account_id', '=', accountId)
      .unionAll(db.selectFrom('sheet_mark').select('sheet_id as id').where('account_id', '=', accountId))
      .unionAll(db.selectFrom('sheet_extension').select('sheet_id as id').where('account_id', '=', accountId))
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  }

  return async (actor: Actor, publicId: string, accountNames: readonly string[]): Promise<UndoneRow[]> => {
    const { id: classId, actor: teacher } = await access.teach(actor, publicId)
    const rows: UndoneRow[] = []
    for (const accountName of new Set(accountNames)) {
      const keep = (reason: string) => rows.push({ accountName, act: 'keep', reason })
      const member = await findMember(store.db, classId, accountName)
      if (!member) keep('This account is not a student of the class.')
      else if (member.joined_at < clock.now() - undoableMs) keep('An import can be undone within a day.')
      else if (member.is_created_here === 1) {
        const isDeleted =
          !(await isKnownElsewhere(store.db, classId, member.id)) && (await accounts.deleteUnused(teacher, member.id))
        if (isDeleted) rows.push({ accountName, act: 'delete', reason: '' })
        else keep('This account has been used.')
      } else if (member.is_put_in === 1) {
        await store.write((trx) => endMembership(trx, { classId, accountId: member.id, leftAt: clock.now() }))
        rows.push({ accountName, act: 'remove', reason: '' })
      } else keep('They joined the class themselves.')
    }
    return rows
  }
}
