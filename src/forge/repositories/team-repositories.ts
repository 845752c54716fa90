/** What teams may do with repositories. */
import type { Clock } from '../../base/clock.ts'
import { demand } from '../../base/failure.ts'
import type { Store } from '../../store/store.ts'
import { type Level, levelOf, rankOf } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { Repository } from '../access/repository.ts'
import { notFound } from '../failures.ts'
import type { Team } from '../people/team.ts'
import type { Teams } from '../people/teams.ts'

export type TeamRepositories = ReturnType<typeof makeTeamRepositories>

export function makeTeamRepositories({ store, clock, teams }: { store: Store; clock: Clock; teams: Teams }) {
  const { db } = store
  return {
    /** The team's level, its parents' included. */
    async level(team: Team, repository: Repository): Promise<Level> {
      const row = await db
        .selectFrom('team_repository')
        .innerJoin('team_ancestor', 'team_ancestor.ancestor_id', 'team_repository.team_id')
        .select((eb) => eb.fn.max('rank').as('rank'))
        .where('team_ancestor.team_id', '=', team.id)
        .where('repository_id', '=', repository.id)
        .executeTakeFirst()
      if (!row?.rank) throw notFound()
      return levelOf(row.rank)
    },

    async set({ repository }: Access<'admin'>, team: Team, level: Level): Promise<void> {
      const isOwn = repository.owner.id === team.organisation.id
      demand(isOwn, 'invalid', 'foreign-repository', 'The repository belongs to another account.', {
        faults: [{ field: 'repository', code: 'invalid', reason: 'It must belong to the organization of the team.' }],
      })
      await store.write((trx) =>
        trx
          .insertInto('team_repository')
          .values({ team_id: team.id, repository_id: repository.id, rank: rankOf(level), created_at: clock.now() })
          .onConflict((conflict) => conflict.columns(['team_id', 'repository_id']).doUpdateSet({ rank: rankOf(level) }))
          .execute(),
      )
    },

    async remove({ repository }: Access<'admin'>, team: Team): Promise<void> {
      await removeFrom(team, repository)
    },

    /** Who maintains the team gives up what it has, of what they may read. */
    async giveUp(access: OrganisationAccess<'member'>, team: Team, { repository }: Access<'read'>): Promise<void> {
      await teams.demandMaintainer(access, team.id)
      await removeFrom(team, repository)
    },
  }

  async function removeFrom(team: Team, repository: Repository): Promise<void> {
    await store.write((trx) =>
      trx
        .deleteFrom('team_repository')
        .where('team_id', '=', team.id)
        .where('repository_id', '=', repository.id)
        .execute(),
    )
  }
}
