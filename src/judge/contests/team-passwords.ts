/** New passwords for teams that lost theirs: a jury sets them for contestants' accounts that it created itself. */
import { type Actor, isAdmin } from '../../accounts/actor.ts'
import { findCreatedBy } from '../../accounts/audit/audit-log.ts'
import type { Store } from '../../store/store.ts'

export type TeamAccount = { readonly id: number; readonly name: string }

export type TeamPasswords = ReturnType<typeof makeTeamPasswords>

export function makeTeamPasswords({ db }: Pick<Store, 'db'>) {
  return {
    /** Whether the actor created this contestant's account, and is of the jury of a contest in which it is in a team. */
    async maySetPassword({ account }: Actor, id: number): Promise<boolean> {
      if (account?.role !== 'problem_setter' || account.id === id) return false
      const row = await db
        .selectFrom('contest_member')
        .innerJoin('contest', 'contest.id', 'contest_member.contest_id')
        .innerJoin('account', 'account.id', 'contest_member.account_id')
        .select('contest.id')
        .where('contest_member.account_id', '=', id)
        .where('account.role', '=', 'contestant')
        .where((eb) =>
          eb.or([
            eb('contest.owner_id', '=', account.id),
            eb(
              'contest.id',
              'in',
              eb
                .selectFrom('contest_person')
                .select('contest_id')
                .where('account_id', '=', account.id)
                .where('role', '=', 'jury'),
            ),
          ]),
        )
        .limit(1)
        .executeTakeFirst()
      return row !== undefined && (await findCreatedBy(db, account.id, [id])).has(id)
    },

    /** The accounts of these teams for which the actor, who is of their jury, may set a password. */
    async list(actor: Actor, teamIds: readonly number[]): Promise<Map<number, TeamAccount[]>> {
      const { account } = actor
      if (!account || teamIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('contest_member')
        .innerJoin('account', 'account.id', 'contest_member.account_id')
        .select(['account.id', 'account.name', 'contest_member.team_id'])
        .where('contest_member.team_id', 'in', teamIds)
        .where('account.role', '=', 'contestant')
        .orderBy('contest_member.position')
        .execute()
      const ids = rows.map(({ id }) => id)
      const own = account.role === 'problem_setter' ? await findCreatedBy(db, account.id, ids) : new Set<number>()
      const open = rows.filter(({ id }) => id !== account.id && (isAdmin(actor) || own.has(id)))
      return Map.groupBy(open, ({ team_id }) => team_id)
    },
  }
}
