/** The members of a team. Adding a user also invites them to the organisation. */
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Store } from '../../store/store.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import { notFound } from '../failures.ts'
import { type Person, toPerson } from '../person.ts'
import { readPage } from '../row-pages.ts'
import type { Memberships } from './memberships.ts'
import type { People } from './people.ts'
import type { Team } from './team.ts'
import type { TeamChanges } from './team-changes.ts'
import type { Teams } from './teams.ts'

export type TeamMembership = {
  readonly user: Person
  readonly role: 'member' | 'maintainer'
  readonly state: 'active' | 'pending'
}

type Needs = {
  store: Store
  clock: Clock
  people: People
  teams: Teams
  memberships: Memberships
  changes: TeamChanges
}

export type TeamMembers = ReturnType<typeof makeTeamMembers>

export function makeTeamMembers({ store, clock, people, teams, memberships, changes }: Needs) {
  const { db } = store

  async function read(organisation: Person, team: Team, login: string): Promise<TeamMembership> {
    const row = await db
      .selectFrom('team_member')
      .innerJoin('account', 'account.id', 'team_member.user_id')
      .innerJoin('organisation_member', 'organisation_member.user_id', 'team_member.user_id')
      .select(['account.id', 'kind', 'name', 'account.role', 'team_member.role as part', 'state'])
      .where('team_id', '=', team.id)
      .where('organisation_id', '=', organisation.id)
      .where('name_key', '=', login.toLowerCase())
      .executeTakeFirst()
    if (!row) throw notFound()
    return {
      user: toPerson(row),
      role: row.part,
      state: row.state,
    }
  }

  return {
    /** `role`: the role in this team or in a subteam. */
    list(
      _access: OrganisationAccess<'member'>,
      team: Team,
      role: TeamMembership['role'] | 'all',
      page: PageRequest,
    ): Promise<Page<Person>> {
      const found = teams.membersOf(team, db, role === 'all' ? undefined : role)
      return readPage(found.select(['id', 'kind', 'name', 'role']).orderBy('id'), page, toPerson)
    },

    get: ({ organisation }: OrganisationAccess<'member'>, team: Team, login: string) => read(organisation, team, login),

    async set(
      access: OrganisationAccess<'member'>,
      team: Team,
      login: string,
      role: TeamMembership['role'],
    ): Promise<TeamMembership> {
      const { organisation } = access
      await teams.demandMaintainer(access, team.id)
      const user = await people.get(login, 'user')
      await store.write(async (trx) => {
        const isMember = await memberships.find(access, login, trx)
        if (!isMember) await memberships.inviteWithin(trx, access, user, 'member')
        await trx
          .insertInto('team_member')
          .values({ team_id: team.id, user_id: user.id, role, created_at: clock.now() })
          .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet({ role }))
          .execute()
        await changes.noteMember(trx, { actor: access.actor, team }, user, 'added', { role })
      }, memberships.withOrganisationLock(organisation))
      return read(organisation, team, login)
    },

    async remove(access: OrganisationAccess<'member'>, team: Team, login: string): Promise<void> {
      const { actor, organisation } = access
      const isSelf = actor.account.name.toLowerCase() === login.toLowerCase()
      if (!isSelf) await teams.demandMaintainer(access, team.id)
      const { user } = await read(organisation, team, login)
      await store.write(async (trx) => {
        await trx.deleteFrom('team_member').where('team_id', '=', team.id).where('user_id', '=', user.id).execute()
        await changes.noteMember(trx, { actor, team }, user, 'removed')
      })
    },
  }
}
