/** Environments that deployments go to: who must agree first. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { DeploymentEnvironmentTable } from '../../store/schema/deployment-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import { listReaders, type Repository } from '../access/repository.ts'
import { invalidField, notFound } from '../failures.ts'
import { countRows, readPage } from '../row-pages.ts'
import type { Reviewer } from './deployment.ts'

export type Environment = {
  readonly id: number
  readonly name: string
  readonly reviewers: readonly Reviewer[]
  readonly preventsSelfReview: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type EnvironmentDraft = Pick<Environment, 'reviewers' | 'preventsSelfReview'>

const maxEnvironments = 100

export type Environments = ReturnType<typeof makeEnvironments>

export function makeEnvironments({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store

  const select = (on: Db, { id }: Pick<Repository, 'id'>) =>
    on.selectFrom('deployment_environment').selectAll().where('repository_id', '=', id)

  async function find(repository: Repository, name: string, on: Db = db): Promise<Environment | undefined> {
    const row = await select(on, repository).where('name', '=', name).executeTakeFirst()
    return row && toEnvironment(row)
  }

  /** Of those who read the repository, and of teams of its owner. */
  async function demandReviewers(trx: Db, repository: Repository, reviewers: readonly Reviewer[]): Promise<void> {
    const userIds = reviewers.flatMap((one) => ('userId' in one ? [one.userId] : []))
    const teamIds = reviewers.flatMap((one) => ('teamId' in one ? [one.teamId] : []))
    const users = userIds.length
      ? await trx.selectFrom('account').select('id').where('kind', '=', 'user').where('id', 'in', userIds).execute()
      : []
    const readers = await listReaders(trx, repository.id, userIds)
    const areReaders = readers === 'everyone' || userIds.every((id) => readers.has(id))
    const teams = teamIds.length
      ? await trx
          .selectFrom('team')
          .select('id')
          .where('organisation_id', '=', repository.owner.id)
          .where('id', 'in', teamIds)
          .execute()
      : []
    if (!areReaders || users.length + teams.length !== reviewers.length)
      throw invalidField('reviewers', 'invalid', 'Each must be able to read the repository, and be named once.')
  }

  return {
    find,

    async get(repository: Repository, name: string): Promise<Environment> {
      const found = await find(repository, name)
      if (!found) throw notFound()
      return found
    },

    list: (repository: Repository, page: PageRequest): Promise<Page<Environment>> =>
      readPage(select(db, repository).orderBy('name'), page, toEnvironment),

    put: ({ repository }: Access<'admin'>, name: string, draft: EnvironmentDraft): Promise<Environment> =>
      store.write(
        async (trx) => {
          await demandReviewers(trx, repository, draft.reviewers)
          const known = await find(repository, name, trx)
          const count = await countRows(select(trx, repository))
          if (!known && count >= maxEnvironments)
            throw new Failure(
              'invalid',
              'too-many-environments',
              `A repository has ${maxEnvironments} environments at most.`,
            )
          const now = clock.now()
          const set = {
            reviewers: JSON.stringify(draft.reviewers),
            prevents_self_review: draft.preventsSelfReview ? 1 : 0,
            updated_at: now,
          }
          const row = await trx
            .insertInto('deployment_environment')
            .values({ ...set, repository_id: repository.id, name, created_at: now })
            .onConflict((conflict) => conflict.columns(['repository_id', 'name']).doUpdateSet(set))
            .returningAll()
            .executeTakeFirstOrThrow()
          return toEnvironment(row)
        },
        { locks: [`environments:${repository.id}`] },
      ),

    async remove({ repository }: Access<'admin'>, name: string): Promise<void> {
      await store.write(async (trx) => {
        const gone = trx.deleteFrom('deployment_environment').where('repository_id', '=', repository.id)
        if (!(await gone.where('name', '=', name).returning('id').executeTakeFirst())) throw notFound()
      })
    },
  }
}

const toEnvironment = (row: Selectable<DeploymentEnvironmentTable>): Environment => ({
  id: row.id,
  name: row.name,
  reviewers: JSON.parse(row.reviewers),
  preventsSelfReview: row.prevents_self_review === 1,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
