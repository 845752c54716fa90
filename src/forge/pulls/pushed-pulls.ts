/** What pushes do to pulls: new commits at the head, force, branches that go and come back, and commits that land on the base by themselves. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { PushTable } from '../../store/schema/forge.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { Git } from '../git/git.ts'
import type { Merging } from '../git/merging.ts'
import type { Pushes } from '../git/pushes.ts'
import type { RefChange } from '../git/ref-change.ts'
import { zeroId } from '../git/ref-name.ts'
import { aloneOnIssues, type IssueAct, placeOf } from '../issues/act.ts'
import { recordEvent } from '../issues/event-recording.ts'
import { touchIssue } from '../issues/issue-row.ts'
import { type IssueStates, subjectOf } from '../issues/issue-state.ts'
import type { MergeSettling } from './merge-settling.ts'
import type { PullEnds } from './pull-ends.ts'
import { type PullFollowing, unlessGone } from './pull-following.ts'
import { getPullRows, isOpen, type PullRows } from './pull-row.ts'
import type { PullTurns } from './pull-turns.ts'
import { dismissApprovals } from './reviews/stale-approvals.ts'
import type { TestMerging } from './test-merging.ts'

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
  settling: MergeSettling
  states: IssueStates
  pushes: Pushes
  dismissesStale: DismissesStale
  turns: PullTurns
}

/** Whether approvals of pulls into a branch end with the next push to their heads. */
export type DismissesStale = (repository: Repository, branch: string, on: Db) => Promise<boolean>

type Push = { readonly id: number; readonly pusher: number; readonly repository: Repository }

/** Those of versions before. */
const pushedKind = 'forge.pulls-pushed'
const unlockedKind = 'forge.pulls-unlocked'
const branches = 'refs/heads/'
/** Pulls that one write changes. */
const portion = 50
/** Refs that are looked at within a push's own write; what more it moves has its turn in the job. */
const maxRefsAtOnce = 500
/** Of a fork, so many pushes are made good once its parent is unlocked. */
const maxMissed = 1_000

export function makePushedPulls(needs: Needs) {
  const {
    store,
    clock,
    jobs,
    activity,
    git,
    merging,
    ends,
    following,
    settling,
    states,
    pushes,
    dismissesStale,
    testMerging,
    turns,
  } = needs
  const { db } = store

  const actBy = ({ pusher }: Push, repository: OpenRepository): IssueAct => ({
    repository,
    actorId: pusher,
    appId: null,
    now: clock.now(),
  })

  const selectByHead = (on: Db, repositoryId: number, refs: readonly string[]) =>
    on.selectFrom('pull').where('head_repository_id', '=', repositoryId).where('head_ref', 'in', refs)

  const selectOpenByBase = (on: Db, repositoryId: number, refs: readonly string[]) =>
    on
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .where('pull.repository_id', '=', repositoryId)
      .where('pull.base_ref', 'in', refs)
      .where('issue.state', '=', 'open')
      .where('issue.deleted_at', 'is', null)

  async function isForce(repository: Repository, { before, after }: RefChange): Promise<boolean> {
    if (before === zeroId || after === zeroId) return false
    // What was there before may be gone for good: then it was not kept.
    return !(await merging.isAncestor(repository, before, after).catch(() => false))
  }

  type Column = 'head_push_id' | 'base_push_id'
  type Act = (trx: Db, by: IssueAct, rows: PullRows) => Promise<void>

  /** Within a write that is alone on the issues of the pull's repository: which knows each push once, or does nothing. */
  async function changeWithin(trx: Db, push: Push, issueId: number, column: Column, act: Act): Promise<void> {
    const rows = await getPullRows(trx, issueId)
    if (rows.row[column] >= push.id) return
    const repository = await ends.findRepository(rows.row.repository_id, trx)
    if (!repository || repository.isArchived || repository.isLocked) return
    await trx
      .updateTable('pull')
      .set({ [column]: push.id })
      .where('issue_id', '=', issueId)
      .execute()
    await act(trx, actBy(push, repository), rows)
  }

  /** One write about one pull. */
  async function change(push: Push, issueId: number, column: Column, act: Act): Promise<void> {
    const { row } = await getPullRows(db, issueId)
    await store.write((trx) => changeWithin(trx, push, issueId, column, act), aloneOnIssues(row.repository_id))
  }

  const close: Act = async (trx, by, { issue }) => void (await states.closeWithin(trx, by, issue.id))

  const loseHead: Act = async (trx, by, { issue: { id } }) => {
    await trx.updateTable('pull').set({ is_head_deleted: 1 }).where('issue_id', '=', id).execute()
    await states.closeWithin(trx, by, id)
    await recordEvent(trx, placeOf(by, id), 'head_ref_deleted', {})
  }

  const regainHead =
    (sha: string): Act =>
    async (trx, by, { row, issue: { id } }) => {
      if (row.is_head_deleted === 0) return
      await trx.updateTable('pull').set({ is_head_deleted: 0 }).where('issue_id', '=', id).execute()
      if (row.head_sha === sha) await recordEvent(trx, placeOf(by, id), 'head_ref_restored', {})
    }

  async function moveHead(push: Push, issueId: number, moved: RefChange): Promise<void> {
    const forced = await isForce(push.repository, moved)
    await following.followHead(issueId)
    await change(push, issueId, 'head_push_id', async (trx, by, rows) => {
      if (!isOpen(rows) || !(await ends.mayFollow(push.repository, rows, trx))) return
      if (forced) await recordEvent(trx, placeOf(by, issueId), 'head_ref_force_pushed', {}, { commitSha: moved.after })
      await touchIssue(trx, issueId, by.now)
      await activity.record(trx, { kind: 'pull-pushed', ...subjectOf(by, issueId), data: { before: moved.before } })
    })
    const { row } = await getPullRows(db, issueId)
    await testMerging.keepLater(row.repository_id, [issueId])
  }

  /** What is approved and was seen before the push is so no longer, where the rules of the base say so. */
  async function dismissStale(trx: Db, push: Push, issueId: number, { after }: RefChange): Promise<void> {
    const rows = await getPullRows(trx, issueId)
    if (!isOpen(rows) || !(await ends.mayFollow(push.repository, rows, trx))) return
    const repository = await ends.findRepository(rows.row.repository_id, trx)
    if (!repository || repository.isArchived || repository.isLocked) return
    if (await dismissesStale(repository, rows.row.base_ref, trx))
      await dismissApprovals(trx, activity, actBy(push, repository), issueId, after)
  }

  /**
   * Within the write that settles a push: branches that went or came back, bases that went, and approvals that end with it.
   * Whoever has the push answered reads the pull as it is then.
   */
  async function settleMoved(trx: Db, push: Push, moved: RefChange, isAlone: (id: number) => boolean): Promise<void> {
    const ref = moved.ref.slice(branches.length)
    const heads = await selectByHead(trx, push.repository.id, [ref])
      .select(['issue_id', 'repository_id'])
      .orderBy('issue_id', 'desc')
      .limit(portion)
      .execute()
    for (const { issue_id: id } of heads.filter(({ repository_id }) => isAlone(repository_id))) {
      const act =
        moved.after === zeroId
          ? changeWithin(trx, push, id, 'head_push_id', loseHead)
          : moved.before === zeroId
            ? changeWithin(trx, push, id, 'head_push_id', regainHead(moved.after))
            : dismissStale(trx, push, id, moved)
      await act.catch(unlessGone)
    }
    if (moved.after !== zeroId || !isAlone(push.repository.id)) return
    const bases = await selectOpenByBase(trx, push.repository.id, [ref])
      .select('pull.issue_id')
      .limit(portion)
      .execute()
    for (const { issue_id: id } of bases) await changeWithin(trx, push, id, 'base_push_id', close).catch(unlessGone)
  }

  /** Of pushes that are being settled, the repositories whose issues their writes are alone on, for as long as they are. */
  const alone = new WeakMap<Repository, Map<number, ReadonlySet<number>>>()

  pushes.consume({
    async alone({ id, repository, changes }) {
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
      if (ids.size > 0) alone.set(repository, (alone.get(repository) ?? new Map()).set(id, ids))
      return aloneOnIssues(...ids).alone
    },
    async settle(trx, { id, pusher, repository, changes }) {
      const known = alone.get(repository)?.get(id)
      if (!known) return
      const push = { id, pusher, repository }
      const moved = changes.filter(({ ref }) => ref.startsWith(branches)).slice(0, maxRefsAtOnce)
      for (const change of moved) await settleMoved(trx, push, change, (repositoryId) => known.has(repositoryId))
    },
  })

  async function changeHeads(push: Push, moved: RefChange): Promise<void> {
    const ref = moved.ref.slice(branches.length)
    const rows = await selectByHead(db, push.repository.id, [ref]).select('issue_id').orderBy('issue_id').execute()
    for (const { issue_id: id } of rows) {
      const act =
        moved.after === zeroId
          ? change(push, id, 'head_push_id', loseHead)
          : moved.before === zeroId
            ? change(push, id, 'head_push_id', regainHead(moved.after))
            : moveHead(push, id, moved)
      await act.catch(unlessGone)
    }
  }

  /** Pulls whose commits the push has brought to the base. */
  async function markLanded(push: Push, ref: string, { before, after }: RefChange): Promise<void> {
    if (before === zeroId) return
    const words = ['for-each-ref', `--merged=${after}`, `--no-merged=${before}`, '--format=%(refname)', 'refs/pull/']
    const { code, output } = await git.run(push.repository, words)
    const numbers = [...output.toString().matchAll(/^refs\/pull\/(\d+)\/head$/gm)].map(([, number]) => Number(number))
    if (code !== 0 || numbers.length === 0) return
    const open = await selectOpenByBase(db, push.repository.id, [ref])
      .select(['pull.issue_id', 'pull.head_sha', 'issue.number'])
      .execute()
    for (const { issue_id: issueId, head_sha: headSha, number } of open) {
      if (!numbers.includes(number)) continue
      const forkSha = (await merging.findFork(push.repository, { base: before, head: headSha })) ?? before
      const facts = { issueId, mergeSha: after, headSha, baseSha: before, forkSha }
      await change(push, issueId, 'base_push_id', async (trx, by, { row }) => {
        if (row.head_sha === headSha) await settling.markMerged(trx, by, facts)
      }).catch(unlessGone)
    }
  }

  async function changeBases(push: Push, moved: RefChange): Promise<void> {
    const ref = moved.ref.slice(branches.length)
    const listOpen = () =>
      selectOpenByBase(db, push.repository.id, [ref])
        .select('pull.issue_id')
        .where('pull.base_push_id', '<', push.id)
        .orderBy('pull.issue_id')
        .limit(portion)
        .execute()
    if ((await listOpen()).length === 0) return
    if (moved.after !== zeroId) await markLanded(push, ref, moved)
    const forced = await isForce(push.repository, moved)
    if (moved.after !== zeroId && !forced) return
    const { isArchived, isLocked } = push.repository
    if (isArchived || isLocked) return
    for (let rows = await listOpen(); rows.length > 0; rows = await listOpen()) {
      for (const { issue_id: id } of rows) {
        if (moved.after === zeroId) await change(push, id, 'base_push_id', close).catch(unlessGone)
        else
          await change(push, id, 'base_push_id', (trx, by) =>
            recordEvent(trx, placeOf(by, id), 'base_ref_force_pushed', {}, { commitSha: moved.after }),
          ).catch(unlessGone)
      }
    }
  }

  const listBranches = (changes: string): RefChange[] =>
    (JSON.parse(changes) as RefChange[]).filter(({ ref }) => ref.startsWith(branches))

  /** Answers the number of the branch to go on with, where the turn is over before all are done. */
  async function follow(row: Selectable<PushTable>, from: number, isOver: () => boolean): Promise<number | undefined> {
    const repository = await ends.findRepository(row.repository_id)
    if (!repository) return undefined
    const push = { id: row.id, pusher: row.pusher_id, repository }
    for (const [i, moved] of listBranches(row.changes).entries()) {
      if (i < from) continue
      if (i > from && isOver()) return i
      await changeHeads(push, moved)
      await changeBases(push, moved)
      if (moved.after !== zeroId) await testMerging.keepInto(repository.id, moved.ref.slice(branches.length))
    }
    return undefined
  }

  const readPush = (on: Db, id: number) => on.selectFrom('push').selectAll().where('id', '=', id).executeTakeFirst()

  turns.define('push', async (pushId, { position, isOver }) => {
    const row = await readPush(db, pushId)
    return row && follow(row, position, isOver).catch(unlessGone)
  })

  jobs.define<{ pushId: number }>(pushedKind, async ({ pushId }) => {
    const row = await readPush(db, pushId)
    if (row) await store.write((trx) => turns.addWithin(trx, row.repository_id, 'push', [pushId]))
  })

  /** Pushes to the heads of a repository's pulls, elsewhere, that came while it took no writes: each pull knows its newest. */
  async function catchUp(repositoryId: number): Promise<void> {
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
        .orderBy('id')
        .limit(maxMissed)
        .execute()
      for (const { id, pusher_id: pusher, changes } of missed)
        for (const moved of listBranches(changes)) await changeHeads({ id, pusher, repository }, moved)
    }
  }

  jobs.define<{ repositoryId: number }>(unlockedKind, ({ repositoryId }) => catchUp(repositoryId))

  /** Most pushes have to do with no pull: those cost two look-ups. */
  activity.consume(async (trx, told) => {
    if (told.kind !== 'push') return
    const row = await readPush(trx, told.subjectId)
    const refs = row ? listBranches(row.changes).map(({ ref }) => ref.slice(branches.length)) : []
    for (let at = 0; at < refs.length; at += 500) {
      const some = refs.slice(at, at + 500)
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
    /** A repository takes writes again: part of that act. */
    catchUpWithin: (trx: Db, repositoryId: number) =>
      jobs.enqueue(trx, unlockedKind, { repositoryId }, { key: String(repositoryId) }),
  }
}
