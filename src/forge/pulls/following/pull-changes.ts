/** Applies pushes to pulls one by one. Each pull stores the newest push it has seen; locked repositories catch up. */
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { OpenRepository, Repository } from '../../access/repository.ts'
import type { Push as RecordedPush } from '../../git/push/pushes.ts'
import type { RefChange } from '../../git/push/ref-change.ts'
import { zeroId } from '../../git/ref-name.ts'
import type { Merging } from '../../git/write/merging.ts'
import { type IssueAct, withIssueLocks } from '../../issues/issue-act.ts'
import type { PullEnds } from '../pull-ends.ts'
import { getPullRows, type PullRows } from '../pull-row.ts'
import { unlessGone } from './pull-following.ts'

export type Push = Pick<RecordedPush, 'id' | 'pusher' | 'credential' | 'repository'>
type Column = 'head_push_id' | 'base_push_id'
export type Act = (trx: Db, by: IssueAct, rows: PullRows) => Promise<void>

/** Pulls that one write changes, or that are read at once. */
export const portion = 50

export const takesWrites = ({ isArchived, isLocked }: Repository): boolean => !isArchived && !isLocked

export const branches = 'refs/heads/'

type Needs = { store: Store; clock: Clock; merging: Merging; ends: PullEnds }

export type PullChanges = ReturnType<typeof makePullChanges>

export function makePullChanges({ store, clock, merging, ends }: Needs) {
  const { db } = store

  const actBy = ({ pusher, credential }: Push, repository: OpenRepository): IssueAct => ({
    repository,
    actorId: pusher,
    pushedBy: credential,
    appId: null,
    now: clock.now(),
  })

  async function isForce(repository: Repository, { before, after }: RefChange): Promise<boolean> {
    if (before === zeroId || after === zeroId) return false
    // The former commit may be pruned already: then it was a force push.
    return !(await merging.isAncestor(repository, before, after).catch(() => false))
  }

  /**
   * Within a write that holds the issues lock of the pull's repository; each push is applied once. Answers false,
   * having done nothing, if the repository takes no writes.
   */
  async function changeWithin(trx: Db, push: Push, issueId: number, column: Column, act: Act): Promise<boolean> {
    const rows = await getPullRows(trx, issueId)
    if (rows.row[column] >= push.id) return true
    const repository = await ends.findRepository(rows.row.repository_id, trx)
    if (!repository || !takesWrites(repository)) return false
    await trx
      .updateTable('pull')
      .set({ [column]: push.id })
      .where('issue_id', '=', issueId)
      .execute()
    await act(trx, actBy(push, repository), rows)
    return true
  }

  /** Changes one pull in one write. Answers false if the pushed repository no longer takes writes. */
  async function change(push: Push, issueId: number, column: Column, act: Act): Promise<boolean> {
    const { row } = await getPullRows(db, issueId)
    const isDone = await store.write(
      (trx) => changeWithin(trx, push, issueId, column, act),
      withIssueLocks(row.repository_id),
    )
    return isDone || row.repository_id !== push.repository.id
  }

  /** Calls `act` for each row in turn. Answers false if the turn ended or `act` answered false before all were done. */
  async function forEachPull<Row extends { readonly issue_id: number }>(
    list: (after: number) => Promise<readonly Row[]>,
    isOver: () => boolean,
    act: (row: Row) => Promise<boolean>,
  ): Promise<boolean> {
    for (let rows = await list(0); rows.length > 0; rows = await list(rows.at(-1)!.issue_id))
      for (const row of rows) {
        const isTaken = await act(row).catch(unlessGone)
        if (isTaken === false || isOver()) return false
      }
    return true
  }

  return { actBy, isForce, changeWithin, change, forEachPull }
}
