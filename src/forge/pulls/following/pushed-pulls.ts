/**
 * Effects of pushes on pulls, in the push's transaction and in turns after it: new heads, force pushes, deleted and
 * restored branches.
 */
import type { Selectable } from 'kysely'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { PushTable } from '../../../store/schema/forge-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import type { Git } from '../../git/process/git.ts'
import { type Pushes, readCredential } from '../../git/push/pushes.ts'
import type { RefChange } from '../../git/push/ref-change.ts'
import { zeroId } from '../../git/ref-name.ts'
import type { Merging } from '../../git/write/merging.ts'
import { recordEvent } from '../../issues/event-recording.ts'
import { placeOf, withIssueLocks } from '../../issues/issue-act.ts'
import { touchIssue } from '../../issues/issue-row.ts'
import { type IssueStates, subjectOf } from '../../issues/issue-state.ts'
import type { MergeCompletion } from '../merging/merge-completion.ts'
import type { TestMerging } from '../merging/test-merging.ts'
import { requestOwnersWithin } from '../owners/owner-review-requests.ts'
import type { PullEnds } from '../pull-ends.ts'
import { getPullRows, isOpen } from '../pull-row.ts'
import { dismissApprovals } from '../reviews/stale-approvals.ts'
import { reclaimForkUsageWithin } from './fork-commit-usage.ts'
import { makeMovedBases, selectOpenByBase } from './moved-bases.ts'
import { type Act, branches, makePullChanges, type Push, portion, takesWrites } from './pull-changes.ts'
import { type PullFollowing, unlessGone } from './pull-following.ts'
import type { PullTurns, Rest } from './pull-turns.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  activity: ActivityRecord
  git: Git
  merging: Merging
  ends: PullEnds
  following: PullFollowing
  testMerging: TestMerging
  settling: MergeCompletion
  states: IssueStates
  pushes: Pushes
  dismissesStale: DismissesStale
  turns: PullTurns
}

/** Whether the next push to a pull's head dismisses its approvals, by the rules of its base branch. */
export type DismissesStale = (repository: Repository, branch: string, on: Db) => Promise<boolean>

/** Job kinds of earlier versions. */
const pushedKind = 'forge.pulls-pushed'
const unlockedKind = 'forge.pulls-unlocked'
/** Ref names per query. */
const maxNames = 500
/** Refs that a push's own write handles; the job handles the rest. */
const maxRefsAtOnce = 500
/** Missed pushes of a fork, the newest, that are applied once the base's repository takes writes again. */
const maxMissed = 1_000

export function makePushedPulls(needs: Needs) {
  const { store, jobs, activity, ends, following, states, pushes, dismissesStale, testMerging, turns } = needs
  const { db } = store
  const changes = makePullChanges(needs)
  const { actBy, isForce, changeWithin, change, forEachPull } = changes
  const movedBases = makeMovedBases({ ...needs, changes })

  const selectByHead = (on: Db, repositoryId: number, refs: readonly string[]) =>
    on.selectFrom('pull').where('head_repository_id', '=', repositoryId).where('head_ref', 'in', refs)

  /** Pulls that have not seen the push and whose repository takes writes; archived or locked ones catch up later. */
  const listByHead = (push: Push, ref: string, after: number) =>
    selectByHead(db, push.repository.id, [ref])
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .innerJoin('repository', 'repository.id', 'pull.repository_id')
      .select('pull.issue_id')
      .where('pull.head_push_id', '<', push.id)
      .where('pull.issue_id', '>', after)
      .where('issue.deleted_at', 'is', null)
      .where('repository.is_archived', '=', 0)
      .where('repository.locked_at', 'is', null)
      .orderBy('pull.issue_id')
      .limit(portion)
      .execute()

  const loseHead: Act = async (trx, by, rows) => {
    if (await ends.isFrozen(rows, trx)) return
    const { id } = rows.issue
    await trx.updateTable('pull').set({ is_head_deleted: 1 }).where('issue_id', '=', id).execute()
    await states.closeWithin(trx, by, id)
    await recordEvent(trx, placeOf(by, id), 'head_ref_deleted', {})
  }

  const regainHead =
    (sha: string): Act =>
    async (trx, by, rows) => {
      const { row, issue } = rows
      const { id } = issue
      if (row.is_head_deleted === 0 || (await ends.isFrozen(rows, trx))) return
      await trx.updateTable('pull').set({ is_head_deleted: 0 }).where('issue_id', '=', id).execute()
      if (row.head_sha === sha) await recordEvent(trx, placeOf(by, id), 'head_ref_restored', {})
    }

  async function moveHead(push: Push, issueId: number, moved: RefChange, forced: boolean): Promise<boolean> {
    const { row } = await following.followHead(issueId)
    // Queue the test merge before the pull has seen the push, because a pull that has is not looked at again.
    await testMerging.keepLater(row.repository_id, [issueId])
    return change(push, issueId, 'head_push_id', async (trx, by, rows) => {
      if (!isOpen(rows) || !(await ends.mayFollow(push.repository, rows, trx))) return
      if (forced) await recordEvent(trx, placeOf(by, issueId), 'head_ref_force_pushed', {}, { commitSha: moved.after })
      if (forced) await reclaimForkUsageWithin(trx, needs, by.repository.id)
      // If very many pulls share a head, the push's own write did not handle them all.
      if (rows.row.head_sha === moved.after && (await dismissesStale(by.repository, rows.row.base_ref, trx)))
        await dismissApprovals(trx, activity, by, issueId, moved.after)
      await touchIssue(trx, issueId, by.now)
      await activity.record(trx, { kind: 'pull-pushed', ...subjectOf(by, issueId), data: { before: moved.before } })
      await requestOwnersWithin(trx, jobs, issueId)
    })
  }

  /** Dismisses approvals given before the push, if the base branch's rules say so. */
  async function dismissStale(trx: Db, push: Push, issueId: number, { after }: RefChange): Promise<void> {
    const rows = await getPullRows(trx, issueId)
    if (!isOpen(rows) || !(await ends.mayFollow(push.repository, rows, trx))) return
    const repository = await ends.findRepository(rows.row.repository_id, trx)
    if (!repository || !takesWrites(repository)) return
    if (await dismissesStale(repository, rows.row.base_ref, trx))
      await dismissApprovals(trx, activity, actBy(push, repository), issueId, after)
  }

  /**
   * Within the write that settles a push: handles deleted and restored branches, deleted bases, and dismissed
   * approvals. So these show as soon as the push is answered.
   */
  async function settleMoved(trx: Db, push: Push, moved: RefChange, isLocked: (id: number) => boolean): Promise<void> {
    const ref = moved.ref.slice(branches.length)
    const heads = await selectByHead(trx, push.repository.id, [ref])
      .select(['issue_id', 'repository_id'])
      .orderBy('issue_id', 'desc')
      .limit(portion)
      .execute()
    for (const { issue_id: id } of heads.filter(({ repository_id }) => isLocked(repository_id))) {
      const act =
        moved.after === zeroId
          ? changeWithin(trx, push, id, 'head_push_id', loseHead)
          : moved.before === zeroId
            ? changeWithin(trx, push, id, 'head_push_id', regainHead(moved.after))
            : dismissStale(trx, push, id, moved)
      await act.catch(unlessGone)
    }
    if (moved.after !== zeroId || !isLocked(push.repository.id)) return
    const bases = await selectOpenByBase(trx, push.repository.id, [ref])
      .select('pull.issue_id')
      .limit(portion)
      .execute()
    for (const { issue_id: id } of bases)
      await changeWithin(trx, push, id, 'base_push_id', movedBases.close).catch(unlessGone)
  }

  pushes.consume({
    async listLocks({ repository, changes }) {
      const moved = changes.filter(({ ref }) => ref.startsWith(branches)).slice(0, maxRefsAtOnce)
      const refs = moved.map(({ ref }) => ref.slice(branches.length))
      if (refs.length === 0) return []
      const heads = await selectByHead(db, repository.id, refs)
        .select('repository_id')
        .distinct()
        .limit(portion)
        .execute()
      const bases = await selectOpenByBase(db, repository.id, refs).select('pull.issue_id').limit(1).execute()
      const isBase = bases.length > 0 && moved.some(({ after }) => after === zeroId)
      const ids = new Set([...heads.map(({ repository_id }) => repository_id), ...(isBase ? [repository.id] : [])])
      return withIssueLocks(...ids).locks
    },
    async process(trx, { id, pusher, credential, repository, changes }, locks) {
      if (locks.length === 0) return
      const isLocked = (repositoryId: number) => withIssueLocks(repositoryId).locks.every((key) => locks.includes(key))
      const push = { id, pusher, credential, repository }
      const moved = changes.filter(({ ref }) => ref.startsWith(branches)).slice(0, maxRefsAtOnce)
      for (const change of moved) await settleMoved(trx, push, change, isLocked)
    },
  })

  async function changeHeads(push: Push, moved: RefChange, isOver: () => boolean): Promise<boolean> {
    const list = (after: number) => listByHead(push, moved.ref.slice(branches.length), after)
    if ((await list(0)).length === 0) return true
    const forced = await isForce(push.repository, moved)
    return forEachPull(list, isOver, ({ issue_id: id }) => {
      if (moved.after === zeroId) return change(push, id, 'head_push_id', loseHead)
      if (moved.before === zeroId) return change(push, id, 'head_push_id', regainHead(moved.after))
      return moveHead(push, id, moved, forced)
    })
  }

  const listBranches = (changes: string): RefChange[] =>
    (JSON.parse(changes) as RefChange[]).filter(({ ref }) => ref.startsWith(branches))

  /**
   * Answers the index of the branch to continue with if the turn ends early. Changes for the repository's own pulls are
   * held while it takes no writes; pulls elsewhere are updated now.
   */
  async function follow(row: Selectable<PushTable>, from: number, isOver: () => boolean): Promise<Rest> {
    const repository = await ends.findRepository(row.repository_id, db)
    if (!repository) return undefined
    const push = { id: row.id, pusher: row.pusher_id, credential: readCredential(row), repository }
    for (const [i, moved] of listBranches(row.changes).entries()) {
      if (i < from) continue
      if (i > from && isOver()) return i
      if (!(await changeHeads(push, moved, isOver))) return i
      if (!takesWrites(repository)) continue
      if (!(await movedBases.change(push, moved, isOver))) return i
      if (moved.after !== zeroId) await testMerging.keepInto(repository.id, moved.ref.slice(branches.length))
    }
    return takesWrites(repository) ? undefined : 'held'
  }

  const readPush = (on: Db, id: number) => on.selectFrom('push').selectAll().where('id', '=', id).executeTakeFirst()

  turns.define(['push', 'held-push'], async (pushId, { position, isOver }) => {
    const row = await readPush(db, pushId)
    return row && follow(row, position, isOver).catch(unlessGone)
  })

  jobs.define<{ pushId: number }>(pushedKind, async ({ pushId }) => {
    const row = await readPush(db, pushId)
    if (row) await store.write((trx) => turns.addWithin(trx, row.repository_id, 'push', [pushId]))
  })

  /**
   * Applies pushes to heads elsewhere that a repository's pulls missed while it took no writes: each pull stores the
   * newest it has seen.
   */
  async function catchUp(repositoryId: number, signal: AbortSignal): Promise<void> {
    const heads = await db
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .select((eb) => ['head_repository_id', eb.fn.min('head_push_id').as('known')])
      .where('pull.repository_id', '=', repositoryId)
      .where('head_repository_id', 'is not', null)
      .where('head_repository_id', '!=', repositoryId)
      .where('issue.deleted_at', 'is', null)
      .groupBy('head_repository_id')
      .execute()
    for (const { head_repository_id: headId, known } of heads) {
      const repository = await ends.findRepository(headId)
      if (!repository) continue
      const missed = await db
        .selectFrom('push')
        .selectAll()
        .where('repository_id', '=', headId!)
        .where('id', '>', Number(known))
        .where('state', '=', 'received')
        .orderBy('id', 'desc')
        .limit(maxMissed)
        .execute()
      for (const row of missed.toReversed())
        for (const moved of listBranches(row.changes)) {
          const push = { id: row.id, pusher: row.pusher_id, credential: readCredential(row), repository }
          await changeHeads(push, moved, () => signal.aborted)
          signal.throwIfAborted()
        }
    }
  }

  jobs.define<{ repositoryId: number }>(unlockedKind, ({ repositoryId }, { signal }) => catchUp(repositoryId, signal))

  /** Most pushes concern no pull: those cost two queries. */
  activity.consume(async (trx, told) => {
    if (told.kind !== 'push') return
    const row = await readPush(trx, told.subjectId)
    const refs = row ? listBranches(row.changes).map(({ ref }) => ref.slice(branches.length)) : []
    for (let at = 0; at < refs.length; at += maxNames) {
      const some = refs.slice(at, at + maxNames)
      const [byHead, byBase] = [
        await selectByHead(trx, told.repositoryId, some).select('issue_id').limit(1).execute(),
        await selectOpenByBase(trx, told.repositoryId, some).select('pull.issue_id').limit(1).execute(),
      ]
      if (byHead.length + byBase.length === 0) continue
      await turns.addWithin(trx, told.repositoryId, 'push', [told.subjectId])
      return
    }
  })

  return {
    /** Part of the write after which the repository takes writes again. */
    async catchUpWithin(trx: Db, repositoryId: number): Promise<void> {
      await jobs.enqueue(trx, unlockedKind, { repositoryId }, { key: String(repositoryId) })
      await turns.resumeWithin(trx, repositoryId)
    },
  }
}
