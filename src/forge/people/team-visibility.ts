/** Filters teams for an account: secret teams are shown only to their members and to the organisation's owners. */
import type { Actor } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import { actsForPerson, countsAt, isSiteAdmin } from '../access/required-grant.ts'
import { lacksSignOn } from '../access/sign-on.ts'
import type { Team } from './team.ts'

type NamedTeam = { readonly id: number; readonly organisation_id: number; readonly privacy: Team['privacy'] }

export async function keepVisibleTeams<T extends NamedTeam>(
  db: Db,
  actor: Actor,
  teams: readonly T[],
): Promise<readonly T[]> {
  const secret = teams.filter(({ privacy }) => privacy === 'secret')
  if (secret.length === 0 || isSiteAdmin(actor)) return teams
  const user = actsForPerson(actor) ? (actor.account?.id ?? 0) : 0
  const owned = await db
    .selectFrom('organisation_member')
    .select('organisation_id')
    .where('user_id', '=', user)
    .where('state', '=', 'active')
    .where('role', '=', 'admin')
    .where('organisation_id', 'in', [...new Set(secret.map(({ organisation_id }) => organisation_id))])
    .execute()
  const own = await db
    .selectFrom('team_member')
    .select('team_id')
    .where('user_id', '=', user)
    .where('team_id', 'in', [...new Set(secret.map(({ id }) => id))])
    .execute()
  const [organisations, members] = [
    new Set(owned.map(({ organisation_id }) => organisation_id)),
    new Set(own.map(({ team_id }) => team_id)),
  ]
  return teams.filter(
    ({ id, organisation_id, privacy }) =>
      privacy !== 'secret' ||
      ((members.has(id) || organisations.has(organisation_id)) &&
        countsAt(actor, { id: organisation_id }) &&
        !lacksSignOn(actor, organisation_id)),
  )
}
