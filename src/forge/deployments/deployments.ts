/** Deployments: a commit is to be put somewhere, by whoever listens; what became of that is said in statuses. */
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import { type Access, contentsWrite, mayDo } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { appOf } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { CommitStanding } from '../commits/commit-standing.ts'
import { notFound } from '../failures.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { BranchWriting } from '../git/write/branch-writing.ts'
import { listTeamsAmong } from '../people/team.ts'
import { countRows, readCompletePage } from '../row-pages.ts'
import {
  type Deployment,
  type DeploymentState,
  type DeploymentStatus,
  toDeployments,
  toStatuses,
} from './deployment.ts'
import type { Environments } from './environments.ts'

export type DeploymentDraft = {
  readonly ref: string
  readonly task: string
  readonly merges: boolean
  /** Undefined: all that there are. */
  readonly requiredContexts: readonly string[] | undefined
  readonly payload: object | string
  readonly environment: string
  readonly description: string | null
  readonly isTransient: boolean
  readonly isProduction: boolean | undefined
}

export type StatusDraft = {
  readonly state: DeploymentState
  readonly description: string
  readonly environment: string | undefined
  readonly environmentUrl: string
  readonly logUrl: string
  readonly endsOthers: boolean
}

export type DeploymentFilter = Partial<Pick<Deployment, 'sha' | 'ref' | 'task' | 'environment'>>

const maxDeployments = 10_000
const maxStatuses = 1_000
/** Of earlier deployments to the same environment so many end with a new one. */
const maxEnded = 100

type Needs = {
  store: Store
  clock: Clock
  activity: ActivityRecord
  reading: GitReading
  branches: Pick<BranchWriting, 'merge'>
  standing: CommitStanding
  environments: Environments
}

export type Deployments = ReturnType<typeof makeDeployments>

export function makeDeployments({ store, clock, activity, reading, branches, standing, environments }: Needs) {
  const { db } = store

  const select = (on: Db, { id }: Pick<Repository, 'id'>) =>
    on.selectFrom('deployment').selectAll().where('deployment.repository_id', '=', id)

  async function get(repository: Pick<Repository, 'id'>, id: number, on: Db = db): Promise<Deployment> {
    const row = await select(on, repository).where('deployment.id', '=', id).executeTakeFirst()
    if (!row) throw notFound()
    const [found] = await toDeployments(on, [row])
    return found!
  }

  /** The branch gets what the default branch has, by a merge; undefined where it has that, or the credential may not. */
  async function mergeDefault(access: Access<'write'>, ref: string): Promise<string | undefined> {
    const { repository, actor } = access
    const { defaultBranch } = repository
    if (ref === defaultBranch || !mayDo(actor, repository, contentsWrite)) return undefined
    const branch = await reading.head(repository, `refs/heads/${ref}^{commit}`)
    const head = branch && (await reading.head(repository, `refs/heads/${defaultBranch}^{commit}`))
    if (!head) return undefined
    const draft = { base: ref, head: head.sha, headName: defaultBranch, message: undefined }
    return branches.merge(access, draft)
  }

  async function demandContexts(repository: Repository, sha: string, draft: DeploymentDraft): Promise<void> {
    const { requiredContexts: contexts, ref } = draft
    const isFine =
      contexts === undefined
        ? ((await standing.sumUp(repository, sha)) ?? 'success') === 'success'
        : (
            await standing.listMissing(
              repository,
              sha,
              contexts.map((context) => ({ context, appId: null })),
            )
          ).length === 0
    demand(isFine, 'conflict', 'contexts-missing', `Conflict: Commit status checks failed for ${ref}.`)
  }

  async function listNames(on: Db, repository: Repository, environment: string) {
    const found = await environments.find(repository, environment, on)
    const reviewers = found?.reviewers ?? []
    return {
      users: reviewers.flatMap((one) => ('userId' in one ? [one.userId] : [])),
      teams: reviewers.flatMap((one) => ('teamId' in one ? [one.teamId] : [])),
      preventsSelfReview: found?.preventsSelfReview ?? false,
    }
  }

  async function insertStatus(
    trx: Db,
    { repository, actor }: Access<'write'> | Access<'read'>,
    deployment: Pick<Deployment, 'id' | 'environment'>,
    draft: Omit<StatusDraft, 'endsOthers'>,
  ): Promise<number> {
    const ofDeployment = trx.selectFrom('deployment_status').where('deployment_id', '=', deployment.id)
    if ((await countRows(ofDeployment)) >= maxStatuses)
      throw new Failure('invalid', 'too-many-statuses', `A deployment has ${maxStatuses} statuses at most.`)
    const now = clock.now()
    const { id } = await trx
      .insertInto('deployment_status')
      .values({
        ...{ deployment_id: deployment.id, state: draft.state, creator_id: actor.account.id, app_id: appOf(actor) },
        ...{ description: draft.description, environment: draft.environment ?? deployment.environment },
        ...{ environment_url: draft.environmentUrl, log_url: draft.logUrl, created_at: now },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx.updateTable('deployment').set({ updated_at: now }).where('id', '=', deployment.id).execute()
    await activity.record(trx, {
      kind: 'deployment-status-set',
      ...{ actorId: actor.account.id, repositoryId: repository.id, subjectId: id },
      data: { deploymentId: deployment.id },
    })
    return id
  }

  /** Earlier ones that stand in the same place are over; what is transient ends by itself. */
  async function endOthers(trx: Db, access: Access<'write'>, deployment: Deployment): Promise<void> {
    const earlier = await select(trx, access.repository)
      .where('environment', '=', deployment.environment)
      .where('deployment.id', '<', deployment.id)
      .where('is_transient', '=', 0)
      .where((eb) =>
        eb(
          eb
            .selectFrom('deployment_status')
            .select('state')
            .whereRef('deployment_id', '=', 'deployment.id')
            .orderBy('deployment_status.id', 'desc')
            .limit(1),
          '=',
          'success',
        ),
      )
      .orderBy('deployment.id', 'desc')
      .limit(maxEnded)
      .execute()
    for (const row of earlier)
      await insertStatus(trx, access, row, {
        ...{ state: 'inactive', description: '', environment: row.environment, environmentUrl: '', logUrl: '' },
      })
  }

  const withDeploymentsLock = ({ id }: Repository) => ({ locks: [`deployments:${id}`] })

  async function getStatus(on: Db, deploymentId: number, id: number): Promise<DeploymentStatus> {
    const query = on.selectFrom('deployment_status').selectAll().where('deployment_id', '=', deploymentId)
    const row = await query.where('id', '=', id).executeTakeFirst()
    if (!row) throw notFound()
    const [found] = await toStatuses(on, [row])
    return found!
  }

  return {
    get,

    /** Newest first. */
    list(repository: Repository, filter: DeploymentFilter, page: PageRequest): Promise<Page<Deployment>> {
      let query = select(db, repository)
      for (const name of ['sha', 'ref', 'task', 'environment'] as const)
        if (filter[name] !== undefined) query = query.where(name, '=', filter[name])
      return readCompletePage(query.orderBy('deployment.id', 'desc'), page, (rows) => toDeployments(db, rows))
    },

    /** `merged`: nothing is deployed, because the branch had to be merged into first. */
    async create(
      access: Access<'write'>,
      draft: DeploymentDraft,
    ): Promise<{ deployment: Deployment } | { merged: string }> {
      const { repository, actor } = access
      const sha = await reading.resolve(repository, draft.ref)
      if (!sha) throw new Failure('invalid', 'no-ref', `No ref found for: ${draft.ref}`)
      if (draft.merges && (await mergeDefault(access, draft.ref))) return { merged: repository.defaultBranch }
      await demandContexts(repository, sha, draft)
      const { environment } = draft
      return store.write(async (trx) => {
        if ((await countRows(select(trx, repository))) >= maxDeployments)
          throw new Failure(
            'invalid',
            'too-many-deployments',
            `A repository has ${maxDeployments} deployments at most: delete some that are inactive.`,
          )
        const { users, teams } = await listNames(trx, repository, environment)
        const now = clock.now()
        const { id } = await trx
          .insertInto('deployment')
          .values({
            ...{ repository_id: repository.id, sha, ref: draft.ref, task: draft.task, environment },
            ...{ original_environment: environment, description: draft.description },
            payload: JSON.stringify(draft.payload),
            is_transient: draft.isTransient ? 1 : 0,
            is_production: (draft.isProduction ?? environment === 'production') ? 1 : 0,
            ...{ creator_id: actor.account.id, app_id: appOf(actor), created_at: now, updated_at: now },
            approval: users.length + teams.length > 0 ? 'waiting' : null,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        const title = `${actor.account.name} wants to deploy ${draft.ref} to ${environment}`
        await activity.record(trx, {
          kind: 'deployment-created',
          ...{ actorId: actor.account.id, repositoryId: repository.id, subjectId: id },
          data: { users, teams, title },
        })
        return { deployment: await get(repository, id, trx) }
      }, withDeploymentsLock(repository))
    },

    /** One that is in place stays, unless it is the only one. */
    async remove({ repository }: Access<'write'>, id: number): Promise<void> {
      await store.write(async (trx) => {
        await get(repository, id, trx)
        const statuses = trx.selectFrom('deployment_status').select('state').where('deployment_id', '=', id)
        const newest = await statuses.orderBy('id', 'desc').limit(1).executeTakeFirst()
        const isOver = newest?.state === 'inactive' || (await countRows(select(trx, repository))) === 1
        demand(
          isOver,
          'invalid',
          'deployment-active',
          'We cannot delete an active deployment unless it is the only one.',
        )
        await trx.deleteFrom('deployment').where('id', '=', id).execute()
      }, withDeploymentsLock(repository))
    },

    listStatuses: (deploymentId: number, page: PageRequest): Promise<Page<DeploymentStatus>> =>
      readCompletePage(
        db
          .selectFrom('deployment_status')
          .selectAll()
          .where('deployment_id', '=', deploymentId)
          .orderBy('deployment_status.id', 'desc'),
        page,
        (rows) => toStatuses(db, rows),
      ),

    getStatus: (deploymentId: number, id: number): Promise<DeploymentStatus> => getStatus(db, deploymentId, id),

    setStatus(access: Access<'write'>, id: number, draft: StatusDraft): Promise<DeploymentStatus> {
      const { repository } = access
      return store.write(async (trx) => {
        const deployment = await get(repository, id, trx)
        const isHeld = deployment.approval === 'waiting' || deployment.approval === 'rejected'
        const begins = ['in_progress', 'queued', 'success'].includes(draft.state)
        demand(
          !isHeld || !begins,
          'invalid',
          'approval-missing',
          `The deployment was not approved by a reviewer of ${deployment.environment} yet.`,
        )
        const statusId = await insertStatus(trx, access, deployment, draft)
        if (draft.environment !== undefined && draft.environment !== deployment.environment)
          await trx.updateTable('deployment').set({ environment: draft.environment }).where('id', '=', id).execute()
        if (draft.state === 'success' && draft.endsOthers) await endOthers(trx, access, await get(repository, id, trx))
        return getStatus(trx, id, statusId)
      }, withDeploymentsLock(repository))
    },

    /** By a reviewer of its environment, or an admin: it may begin, or it has failed. */
    review(access: Access<'read'>, id: number, isApproved: boolean, comment: string): Promise<DeploymentStatus> {
      const { repository, actor } = access
      return store.write(async (trx) => {
        const deployment = await get(repository, id, trx)
        demand(
          deployment.approval === 'waiting',
          'invalid',
          'not-waiting',
          'The deployment does not wait for a review.',
        )
        const { users, teams, preventsSelfReview } = await listNames(trx, repository, deployment.originalEnvironment)
        const userId = actor.account.id
        const isReviewer = users.includes(userId) || (await listTeamsAmong(trx, userId, teams)).length > 0
        const isOwn = preventsSelfReview && deployment.creator?.id === userId
        demand(
          (isReviewer && !isOwn) || reaches(repository.level, 'admin'),
          'forbidden',
          'not-reviewer',
          `You are not among those who may review deployments to ${deployment.environment}.`,
        )
        const approval = isApproved ? 'approved' : 'rejected'
        await trx.updateTable('deployment').set({ approval }).where('id', '=', id).execute()
        const statusId = await insertStatus(trx, access, deployment, {
          ...{ state: isApproved ? 'queued' : 'failure', description: comment, environment: undefined },
          ...{ environmentUrl: '', logUrl: '' },
        })
        return getStatus(trx, id, statusId)
      }, withDeploymentsLock(repository))
    },
  }
}
