/** Accounts that a problem setter created, alone or by a roster, and whose password a setter may set. */
import { type Actor, isAdmin } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'

export type PasswordRights = ReturnType<typeof makePasswordRights>

export function makePasswordRights({ db }: Pick<Store, 'db'>) {
  /**
   * The accounts among these for which the actor may set a password, other than their own: an admin for every
   * contestant; a setter for the contestants whom they created, while these are in a class that the setter teaches or a
   * team of a contest of whose jury the setter is. What a roster created belongs to all teachers of its class.
   */
  async function find(actor: Actor, accountIds: readonly number[]): Promise<Set<number>> {
    const { account } = actor
    const others = accountIds.filter((id) => id !== account?.id)
    if (!account || others.length === 0 || !(isAdmin(actor) || account.role === 'problem_setter')) return new Set()
    const contestants = db
      .selectFrom('account')
      .select('account.id')
      .where('account.id', 'in', others)
      .where('account.kind', '=', 'user')
      .where('account.role', '=', 'contestant')
    if (isAdmin(actor)) return toSet(await contestants.execute())
    const rows = await contestants
      .where((eb) =>
        eb.or([
          eb('account.id', 'in', pupils(db, account.id, others).where('student.is_created_here', '=', 1)),
          eb.and([
            eb('account.creator_id', '=', account.id),
            eb.or([
              eb('account.id', 'in', pupils(db, account.id, others)),
              eb('account.id', 'in', teamMembers(db, account.id, others)),
            ]),
          ]),
        ]),
      )
      .execute()
    return toSet(rows)
  }

  return {
    find,
    maySetPassword: async (actor: Actor, accountId: number): Promise<boolean> =>
      (await find(actor, [accountId])).has(accountId),
  }
}

/** The accounts among these that the setter, or a roster of a class that they teach, created: they need no invitation. */
export async function findCreated(db: Db, setterId: number, accountIds: readonly number[]): Promise<Set<number>> {
  if (accountIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('account')
    .select('account.id')
    .where('account.id', 'in', accountIds)
    .where((eb) =>
      eb.or([
        eb('account.creator_id', '=', setterId),
        eb('account.id', 'in', pupils(db, setterId, accountIds).where('student.is_created_here', '=', 1)),
      ]),
    )
    .execute()
  return toSet(rows)
}

/** Students of the classes that the account teaches. */
const pupils = (db: Db, teacherId: number, accountIds: readonly number[]) =>
  db
    .selectFrom('class_member as student')
    .innerJoin('class_member as teacher', 'teacher.class_id', 'student.class_id')
    .select('student.account_id')
    .where('student.account_id', 'in', accountIds)
    .where('student.role', '=', 'student')
    .where('teacher.account_id', '=', teacherId)
    .where('teacher.role', '=', 'teacher')

/** Members of teams in the contests that the account owns, or of whose jury it is. */
const teamMembers = (db: Db, juryId: number, accountIds: readonly number[]) =>
  db
    .selectFrom('contest_member')
    .innerJoin('contest', 'contest.id', 'contest_member.contest_id')
    .select('contest_member.account_id')
    .where('contest_member.account_id', 'in', accountIds)
    .where((eb) =>
      eb.or([
        eb('contest.owner_id', '=', juryId),
        eb.exists(
          eb
            .selectFrom('contest_person')
            .select('contest_person.contest_id')
            .whereRef('contest_person.contest_id', '=', 'contest.id')
            .where('contest_person.account_id', '=', juryId)
            .where('contest_person.role', '=', 'jury'),
        ),
      ]),
    )

const toSet = (rows: readonly { id: number }[]): Set<number> => new Set(rows.map(({ id }) => id))
