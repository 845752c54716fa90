/** The repositories of teams, with each team's level. */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type Level, levelOf, rankOf } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { Repository } from '../access/repository.ts'
import { invalidField, notFound } from '../failures.ts'
import type { Team } from '../people/team.ts'
import type { TeamChanges } from '../people/team-changes.ts'
import type { Teams } from '../people/teams.ts'

export type TeamRepositories = ReturnType<typeof makeTeamRepositories>

type Needs = { store: Store; clock: Clock; teams: Teams; changes: TeamChanges }

export function makeTeamRepositories({ store, clock, teams, changes }: Needs) {
  const { db } = store

  async function giveWithin(
    trx: Db,
    { actor, team }: { actor: SignedIn; team: Team },
    repository: Repository,
    level: Level,
    isNew: boolean,
  ): Promise<void> {
    const rank = rankOf(level)
    await trx
      .insertInto('team_repository')
      .values({ team_id: team.id, repository_id: repository.id, rank, created_at: clock.now() })
      .onConflict((conflict) => conflict.columns(['team_id', 'repository_id']).doUpdateSet({ rank }))
      .execute()
    await changes.noteRepository(trx, { actor, team }, repository, level, isNew)
  }

  return {
    /** Lets a team that the actor may see read a repository that is being made. */
    async preparedGift(access: OrganisationAccess<'member'>, teamId: number) {
      const [named] = await teams.listByIds(access.organisation, [teamId])
      const team = named && (await teams.open(access, named.slug).catch(() => undefined))
      if (team?.id !== teamId) throw invalidField('team_id', 'invalid', 'It must be a team of the organization.')
      return (trx: Db, repository: Repository) =>
        giveWithin(trx, { actor: access.actor, team }, repository, 'read', true)
    },

    /** The team's level, including its ancestors'. */
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

    /** The same for several repositories at once. */
    async levels(team: Team, ids: readonly number[]): Promise<ReadonlyMap<number, Level>> {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('team_repository')
        .innerJoin('team_ancestor', 'team_ancestor.ancestor_id', 'team_repository.team_id')
        .select((eb) => ['repository_id', eb.fn.max('rank').as('rank')])
        .where('team_ancestor.team_id', '=', team.id)
        .where('repository_id', 'in', ids)
        .groupBy('repository_id')
        .execute()
      return new Map(rows.map(({ repository_id: id, rank }) => [id, levelOf(rank)]))
    },

    async set({ actor, repository }: Access<'admin'>, team: Team, level: Level): Promise<void> {
      const isOwn = repository.owner.id === team.organisation.id
      demand(isOwn, 'invalid', 'foreign-repository', 'The repository belongs to another account.', {
        faults: [{ field: 'repository', code: 'invalid', reason: 'It must belong to the organization of the team.' }],
      })
      const rank = rankOf(level)
      await store.write(
        async (trx) => {
          const known = await trx
            .selectFrom('team_repository')
            .select('rank')
            .where('team_id', '=', team.id)
            .where('repository_id', '=', repository.id)
            .executeTakeFirst()
          if (known?.rank === rank) return
          await giveWithin(trx, { actor, team }, repository, level, known === undefined)
        },
        { locks: [`team-repositories:${team.id}`] },
      )
    },

    async remove({ actor, repository }: Access<'admin'>, team: Team): Promise<void> {
      await removeFrom(actor, team, repository)
    },

    /** A team's maintainer gives up its access to a repository that they may read. */
    async giveUp(access: OrganisationAccess<'member'>, team: Team, { repository }: Access<'read'>): Promise<void> {
      await teams.demandMaintainer(access, team.id)
      await removeFrom(access.actor, team, repository)
    },
  }

  async function removeFrom(actor: SignedIn, team: Team, repository: Repository): Promise<void> {
    await store.write(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('team_repository')
        .where('team_id', '=', team.id)
        .where('repository_id', '=', repository.id)
        .executeTakeFirstOrThrow()
      if (numDeletedRows > 0n) await changes.noteRepository(trx, { actor, team }, repository, undefined)
    })
  }
}
