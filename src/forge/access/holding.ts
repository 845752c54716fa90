/** The rule of levels as a condition, for queries over many repositories. */
import { type SqlBool, sql } from 'kysely'
import { defaultMemberRank } from '../person.ts'
import { type Level, rankOf } from './level.ts'

/**
 * Whether the account in this column has at least this level, of triage or more, in the `repository` of the query, by
 * its own rights and without those of site admins. The same as `listHolders`.
 */
export function holdsLevel(column: string, level: Exclude<Level, 'none' | 'read'>) {
  const account = sql.ref<number>(column)
  const rank = rankOf(level)
  return sql<SqlBool>`(repository.owner_id = ${account}
    or exists (select 1 from collaborator hc
      where hc.repository_id = repository.id and hc.user_id = ${account} and hc.rank >= ${rank})
    or exists (select 1 from organisation_member hm
      where hm.organisation_id = repository.owner_id and hm.user_id = ${account} and hm.state = 'active'
      and (hm.role = 'admin'
        or coalesce((select hp.member_rank from profile hp where hp.account_id = repository.owner_id),
          ${defaultMemberRank}) >= ${rank}
        or exists (select 1 from team_repository hr
          join team_ancestor ha on ha.ancestor_id = hr.team_id
          join team_member ht on ht.team_id = ha.team_id
          where hr.repository_id = repository.id and hr.rank >= ${rank} and ht.user_id = ${account}))))`
}
