/**
 * Auto-merge: a pull is merged by the rights of who asked for it, as soon as the rules of its base let it. It ends when
 * somebody who may not write moves the head or the base of the pull.
 */
import { type KeptCredential, keepCredential } from '../../../accounts/kept-credential.ts'
import type { Tokens } from '../../../accounts/tokens.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { reaches } from '../../access/level.ts'
import { type Access, contentsWrite, type Opening } from '../../access/opening.ts'
import { findLevel, type Repository } from '../../access/repository.ts'
import type { ActivityRecord, RecordedActivity } from '../../activity/activity.ts'
import { actOf, type IssueAct, withIssueLocks } from '../../issues/issue-act.ts'
import { subjectOf } from '../../issues/issue-state.ts'
import { unlessGone } from '../following/pull-following.ts'
import type { MergeMethod } from '../pull.ts'
import { refuse } from '../pull-opening.ts'
import { findPull, getPullRows, isOpen, type PullRows } from '../pull-row.ts'
import { demandMethod, type MergeRequest, type PullMerging } from './pull-merging.ts'

const tryKind = 'forge.auto-merge'
const sweepKind = 'forge.auto-merge-sweep'
/** For what nothing tells of, such as a rule that was changed: so many, those that were tried longest ago. */
const sweptEveryMs = 10 * 60_000
const sweptAtOnce = 200
const triedTogether = 4

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  activity: ActivityRecord
  opening: Opening
  recall: Tokens['recall']
  pullMerging: PullMerging
}

export type AutoMerging = ReturnType<typeof makeAutoMerging>

export function makeAutoMerging({ store, clock, log, jobs, activity, opening, recall, pullMerging }: Needs) {
  const { db } = store

  const enqueue = (trx: Db, issueId: number) => jobs.enqueue(trx, tryKind, { issueId }, { key: String(issueId) })

  const find = (on: Db, issueId: number) =>
    on.selectFrom('pull_auto_merge').selectAll().where('issue_id', '=', issueId).executeTakeFirst()

  const tell = (trx: Db, by: IssueAct, issueId: number, action: 'auto_merge_enabled' | 'auto_merge_disabled') =>
    activity.record(trx, { kind: 'issue-changed', ...subjectOf(by, issueId), data: { action } })

  async function endWithin(trx: Db, issueId: number): Promise<boolean> {
    const gone = trx.deleteFrom('pull_auto_merge').where('issue_id', '=', issueId).returning('issue_id')
    return (await gone.executeTakeFirst()) !== undefined
  }

  async function enterAgain(
    actorId: number,
    credential: KeptCredential,
    repositoryId: number,
  ): Promise<Access<'write'> | undefined> {
    const actor = await recall(actorId, credential, db)
    return actor && opening.enter(actor, { id: repositoryId }, contentsWrite)
  }

  async function merge(issueId: number): Promise<void> {
    const row = await find(db, issueId)
    if (!row) return
    const tried = { tried_at: clock.now() }
    await store.write((trx) => trx.updateTable('pull_auto_merge').set(tried).where('issue_id', '=', issueId).execute())
    const { issue } = await getPullRows(db, issueId)
    const access = await enterAgain(row.actor_id, JSON.parse(row.credential), row.repository_id)
    // The credential is over, and with it what was asked for by it.
    if (!access) return void (await store.write((trx) => endWithin(trx, issueId)))
    const { method, title, message, head_sha: sha } = row
    const request = { method: method as MergeMethod, title: title ?? undefined, message: message ?? undefined, sha }
    if (await pullMerging.mayFollowRules(access, issue.number, request))
      await pullMerging.merge(access, issue.number, request)
  }

  /** What stands against it now may not stand against it later. */
  const mergeQuietly = (issueId: number): Promise<void> =>
    merge(issueId).catch((error) => {
      if (!(error instanceof Failure) || error.kind === 'unavailable') throw error
      log.info({ err: error, issue: issueId }, 'a pull is not merged yet')
    })

  jobs.define<{ issueId: number }>(tryKind, ({ issueId }) => mergeQuietly(issueId).catch(unlessGone), {
    concurrency: triedTogether,
  })
  jobs.define(sweepKind, () =>
    store.write(async (trx) => {
      const due = trx
        .selectFrom('pull_auto_merge')
        .select('issue_id')
        .where('tried_at', '<', clock.now() - sweptEveryMs)
      for (const { issue_id } of await due.orderBy('tried_at').limit(sweptAtOnce).execute())
        await enqueue(trx, issue_id)
    }),
  )
  jobs.every(sweepKind, sweptEveryMs)

  /** Commits of those who may not write are not to be merged unseen. */
  async function followHead(trx: Db, { subjectId, repositoryId, actorId }: Pushed): Promise<void> {
    if (!(await find(trx, subjectId))) return
    if (!reaches(await findLevel(trx, repositoryId, actorId), 'write')) return void (await endWithin(trx, subjectId))
    const { row } = await getPullRows(trx, subjectId)
    const moved = { head_sha: row.head_sha }
    await trx.updateTable('pull_auto_merge').set(moved).where('issue_id', '=', subjectId).execute()
    await enqueue(trx, subjectId)
  }

  activity.consume(async (trx, told) => {
    switch (told.kind) {
      case 'pull-pushed':
        await followHead(trx, told)
        break
      case 'issue-closed':
      case 'pull-merged':
        await endWithin(trx, told.subjectId)
        break
      case 'pull-reviewed':
      case 'review-changed':
        if (await find(trx, told.subjectId)) await enqueue(trx, told.subjectId)
        break
      default:
    }
  })

  const demandAllowed = ({ repository }: Access<'write'>, { issue, row }: PullRows, draft: MergeRequest): void => {
    demand(
      repository.options.allowAutoMerge,
      'invalid',
      'no-auto-merge',
      'Auto merge is not allowed for this repository.',
    )
    if (!isOpen({ issue, row })) throw refuse('The pull request is closed.')
    if (row.is_draft === 1) throw refuse('The pull request is a draft: mark it as ready first.')
    demandMethod(repository, draft.method)
    if (draft.sha !== undefined && draft.sha !== row.head_sha)
      throw refuse(`expected head ${draft.sha} is not the head, which is ${row.head_sha}`)
  }

  return {
    async enable(access: Access<'write'>, number: number, draft: MergeRequest): Promise<void> {
      const { repository, actor } = access
      const credential = keepCredential(actor)
      demand(credential, 'forbidden', 'no-credential', 'Sign in to ask for this.')
      await store.write(async (trx) => {
        const rows = await findPull(trx, repository.id, number)
        demandAllowed(access, rows, draft)
        const now = clock.now()
        const values = {
          ...{ actor_id: actor.account.id, credential: JSON.stringify(credential), method: draft.method },
          ...{ title: draft.title ?? null, message: draft.message ?? null, head_sha: rows.row.head_sha },
          ...{ created_at: now, tried_at: now },
        }
        await trx
          .insertInto('pull_auto_merge')
          .values({ ...values, issue_id: rows.issue.id, repository_id: repository.id })
          .onConflict((conflict) => conflict.column('issue_id').doUpdateSet(values))
          .execute()
        await tell(trx, actOf(access, now), rows.issue.id, 'auto_merge_enabled')
        await enqueue(trx, rows.issue.id)
      }, withIssueLocks(repository.id))
    },

    async disable(access: Access<'write'>, number: number): Promise<void> {
      const { repository } = access
      await store.write(async (trx) => {
        const { issue } = await findPull(trx, repository.id, number)
        if (!(await endWithin(trx, issue.id))) throw refuse('Auto merge is not enabled for this pull request.')
        await tell(trx, actOf(access, clock.now()), issue.id, 'auto_merge_disabled')
      }, withIssueLocks(repository.id))
    },

    /** Something was said of a commit: part of that act. */
    async considerCommitWithin(trx: Db, { id }: Pick<Repository, 'id'>, sha: string): Promise<void> {
      const rows = await trx
        .selectFrom('pull_auto_merge')
        .select('issue_id')
        .where('repository_id', '=', id)
        .where('head_sha', '=', sha)
        .execute()
      for (const { issue_id } of rows) await enqueue(trx, issue_id)
    },
  }
}

type Pushed = Extract<RecordedActivity, { kind: 'pull-pushed' }>
