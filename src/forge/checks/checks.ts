/** Checks: what apps say of commits, run by run. Only the app that made a run changes it. */
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { appOf } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField } from '../failures.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import { countRows } from '../row-pages.ts'
import {
  type Annotation,
  type CheckConclusion,
  type CheckOutput,
  type CheckRun,
  type CheckStatus,
  type CheckSuite,
  concludeSuite,
} from './check.ts'
import { type CheckReading, selectLatestIds } from './check-reading.ts'

export type RunChange = {
  readonly name?: string | undefined
  readonly externalId?: string | undefined
  readonly detailsUrl?: string | undefined
  readonly status?: CheckStatus | undefined
  readonly conclusion?: CheckConclusion | undefined
  readonly startedAt?: Date | undefined
  readonly completedAt?: Date | undefined
  readonly output?: Partial<CheckOutput> | undefined
  readonly annotations?: readonly Annotation[] | undefined
}

/** Told within the write that says something of a commit. */
type CheckConsumer = (trx: Db, repository: Pick<Repository, 'id'>, sha: string) => Promise<void>

/** As the public platform bounds a suite; and, of our own, apps that say something of a commit, and annotations of a run. */
const maxRunsPerSuite = 1_000
const maxSuitesPerCommit = 100
const maxAnnotations = 10_000

type Needs = { store: Store; clock: Clock; activity: ActivityRecord; reading: CheckReading; gitReading: GitReading }

export type Checks = ReturnType<typeof makeChecks>

export function makeChecks({ store, clock, activity, reading, gitReading }: Needs) {
  const consumers: CheckConsumer[] = []

  const demandApp = ({ actor }: Access<'write'>): number => {
    const appId = appOf(actor)
    demand(appId !== null, 'forbidden', 'no-app', 'Checks are made by apps: use an installation token of an app.')
    return appId
  }

  const withChecksLock = ({ id }: Repository, sha: string) => ({ locks: [`checks:${id}:${sha}`] })

  /** A branch that is at the commit when its suite begins, for those who look for checks of a branch. */
  async function findBranch(repository: Repository, sha: string, appId: number): Promise<string | null> {
    const known = store.db.selectFrom('check_suite').select('id').where('repository_id', '=', repository.id)
    if (await known.where('sha', '=', sha).where('app_id', '=', appId).executeTakeFirst()) return null
    const refs = await gitReading.refs(repository, 'refs/heads/')
    return refs.find((ref) => ref.sha === sha)?.name.replace(/^refs\/heads\//, '') ?? null
  }

  type SuitePlace = { repository: Repository; sha: string; appId: number; headBranch: string | null }

  async function openSuite(trx: Db, { repository, sha, appId, headBranch }: SuitePlace) {
    const ofCommit = trx.selectFrom('check_suite').where('repository_id', '=', repository.id).where('sha', '=', sha)
    const known = await ofCommit.select('id').where('app_id', '=', appId).executeTakeFirst()
    if (known) return { id: known.id, isNew: false }
    if ((await countRows(ofCommit)) >= maxSuitesPerCommit)
      throw tooMany(`${maxSuitesPerCommit} apps have checked this commit already.`)
    const now = clock.now()
    const { id } = await trx
      .insertInto('check_suite')
      .values({
        ...{ repository_id: repository.id, sha, app_id: appId, head_branch: headBranch },
        ...{ status: 'queued', conclusion: null, latest_count: 0, created_at: now, updated_at: now },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, isNew: true }
  }

  /** The suite is what its newest runs come to. */
  async function settleSuite(trx: Db, { repository, actor }: Access<'write'>, sha: string, id: number): Promise<void> {
    const before = await trx.selectFrom('check_suite').select('status').where('id', '=', id).executeTakeFirstOrThrow()
    const latest = await trx
      .selectFrom('check_run')
      .select(['status', 'conclusion'])
      .where('suite_id', '=', id)
      .where('id', 'in', selectLatestIds(trx, repository.id, sha))
      .execute()
    const state = concludeSuite(latest)
    await trx
      .updateTable('check_suite')
      .set({ ...state, latest_count: latest.length, updated_at: clock.now() })
      .where('id', '=', id)
      .execute()
    if (state.status === 'completed' && before.status !== 'completed')
      await activity.record(trx, {
        kind: 'check-suite-changed',
        ...{ actorId: actor.account.id, repositoryId: repository.id, subjectId: id, data: { action: 'completed' } },
      })
    for (const consume of consumers) await consume(trx, repository, sha)
  }

  async function addAnnotations(trx: Db, runId: number, annotations: readonly Annotation[]): Promise<void> {
    if (annotations.length === 0) return
    await trx
      .insertInto('check_annotation')
      .values(
        annotations.map(({ title, message, rawDetails, ...place }) => ({
          ...{ run_id: runId, path: place.path, start_line: place.startLine, end_line: place.endLine },
          ...{ start_column: place.startColumn, end_column: place.endColumn, level: place.level },
          body: JSON.stringify({ title, message, rawDetails }),
        })),
      )
      .execute()
  }

  const tellRun = (
    trx: Db,
    { actor, repository }: Access<'write'>,
    id: number,
    data: { action: 'created' | 'completed' | 'rerequested'; installation?: { id: number; appId: number } },
  ) =>
    activity.record(trx, {
      kind: 'check-run-changed',
      ...{ actorId: actor.account.id, repositoryId: repository.id, subjectId: id, data },
    })

  /** To be done again, the app is told; one that is not there any more does nothing. */
  async function findInstallation(trx: Db, { owner }: Repository, appId: number | undefined) {
    if (appId === undefined) return undefined
    const row = await trx
      .selectFrom('app_installation')
      .select('id')
      .where('app_id', '=', appId)
      .where('account_id', '=', owner.id)
      .executeTakeFirst()
    return row && { id: row.id, appId }
  }

  return {
    /** Told of a commit within each write that says something of it. */
    consume: (consumer: CheckConsumer) => void consumers.push(consumer),

    /** The commit is known to be there. */
    async create(
      access: Access<'write'>,
      sha: string,
      draft: RunChange & { readonly name: string },
    ): Promise<CheckRun> {
      const appId = demandApp(access)
      const { repository } = access
      const headBranch = await findBranch(repository, sha, appId)
      const state = readState(draft, { status: 'queued', conclusion: null, completed_at: null }, clock.now())
      return store.write(
        async (trx) => {
          const { id: suiteId } = await openSuite(trx, { repository, sha, appId, headBranch })
          if ((await countRows(trx.selectFrom('check_run').where('suite_id', '=', suiteId))) >= maxRunsPerSuite)
            throw tooMany(`A check suite has ${maxRunsPerSuite} runs at most.`)
          const now = clock.now()
          const { id } = await trx
            .insertInto('check_run')
            .values({
              ...{ suite_id: suiteId, repository_id: repository.id, sha, app_id: appId, name: draft.name, ...state },
              ...{ external_id: draft.externalId ?? null, details_url: draft.detailsUrl ?? null },
              started_at: draft.startedAt?.getTime() ?? now,
              body: draft.output ? spellOutput(draft.output, null) : null,
              annotation_count: draft.annotations?.length ?? 0,
              created_at: now,
            })
            .returning('id')
            .executeTakeFirstOrThrow()
          await addAnnotations(trx, id, draft.annotations ?? [])
          await tellRun(trx, access, id, { action: 'created' })
          if (state.status === 'completed') await tellRun(trx, access, id, { action: 'completed' })
          await settleSuite(trx, access, sha, suiteId)
          return reading.getRun(repository, id, trx)
        },
        withChecksLock(repository, sha),
      )
    },

    async update(access: Access<'write'>, id: number, change: RunChange): Promise<CheckRun> {
      const appId = demandApp(access)
      const { repository } = access
      const known = await reading.getRun(repository, id)
      demand(
        known.app?.id === appId,
        'forbidden',
        'other-app',
        'A check run can be changed only by the app that made it.',
      )
      return store.write(
        async (trx) => {
          const before = await trx.selectFrom('check_run').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
          const annotations = change.annotations ?? []
          if (before.annotation_count + annotations.length > maxAnnotations)
            throw tooMany(`A check run has ${maxAnnotations} annotations at most.`)
          const state = readState(change, before, clock.now())
          await trx
            .updateTable('check_run')
            .set({
              ...state,
              name: change.name ?? before.name,
              external_id: change.externalId ?? before.external_id,
              details_url: change.detailsUrl ?? before.details_url,
              started_at: change.startedAt?.getTime() ?? before.started_at,
              body: change.output ? spellOutput(change.output, before.body) : before.body,
              annotation_count: before.annotation_count + annotations.length,
            })
            .where('id', '=', id)
            .execute()
          await addAnnotations(trx, id, annotations)
          if (state.status === 'completed' && before.status !== 'completed')
            await tellRun(trx, access, id, { action: 'completed' })
          await settleSuite(trx, access, before.sha, before.suite_id)
          return reading.getRun(repository, id, trx)
        },
        withChecksLock(repository, known.sha),
      )
    },

    /** `isNew`: there was none of the app. */
    async createSuite(access: Access<'write'>, sha: string): Promise<{ suite: CheckSuite; isNew: boolean }> {
      const appId = demandApp(access)
      const { repository, actor } = access
      const headBranch = await findBranch(repository, sha, appId)
      return store.write(
        async (trx) => {
          const { id, isNew } = await openSuite(trx, { repository, sha, appId, headBranch })
          const installation = await findInstallation(trx, repository, appId)
          if (isNew && installation)
            await activity.record(trx, {
              kind: 'check-suite-changed',
              ...{ actorId: actor.account.id, repositoryId: repository.id, subjectId: id },
              data: { action: 'requested', installation },
            })
          return { suite: await reading.getSuite(repository, id, trx), isNew }
        },
        withChecksLock(repository, sha),
      )
    },

    async rerequestRun(access: Access<'write'>, id: number): Promise<void> {
      const { repository } = access
      await store.write(async (trx) => {
        const { app } = await reading.getRun(repository, id, trx)
        const installation = await findInstallation(trx, repository, app?.id)
        demand(installation, 'invalid', 'not-rerequestable', 'This check run is not rerequestable: its app is gone.')
        await tellRun(trx, access, id, { action: 'rerequested', installation })
      })
    },

    async rerequestSuite(access: Access<'write'>, id: number): Promise<void> {
      const { repository, actor } = access
      await store.write(async (trx) => {
        const { app } = await reading.getSuite(repository, id, trx)
        const installation = await findInstallation(trx, repository, app?.id)
        demand(installation, 'invalid', 'not-rerequestable', 'This check suite is not rerequestable: its app is gone.')
        await activity.record(trx, {
          kind: 'check-suite-changed',
          ...{ actorId: actor.account.id, repositoryId: repository.id, subjectId: id },
          data: { action: 'rerequested', installation },
        })
      })
    },
  }
}

type State = { status: CheckStatus; conclusion: CheckConclusion | null; completed_at: number | null }

/** What has a conclusion is completed, and what is completed has one. */
function readState({ status, conclusion, completedAt }: RunChange, before: State, now: number): State {
  if (conclusion !== undefined || completedAt !== undefined || status === 'completed') {
    const concluded = conclusion ?? before.conclusion
    if (!concluded) throw invalidField('conclusion', 'missing_field', 'A completed check run has a conclusion.')
    return {
      status: 'completed',
      conclusion: concluded,
      completed_at: completedAt?.getTime() ?? before.completed_at ?? now,
    }
  }
  if (status !== undefined) return { status, conclusion: null, completed_at: null }
  const { status: same, conclusion: concluded, completed_at } = before
  return { status: same, conclusion: concluded, completed_at }
}

function spellOutput(given: Partial<CheckOutput>, before: string | null): string {
  const known: CheckOutput | undefined = before === null ? undefined : JSON.parse(before)
  const { title = known?.title ?? '', summary = known?.summary ?? '', text = known?.text ?? null } = given
  return JSON.stringify({ title, summary, text })
}

const tooMany = (message: string) => new Failure('invalid', 'too-many-checks', message)
