/** Pushes to base branches: mark pulls as merged, close those of a deleted branch, and record force pushes. */
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Git } from '../../git/process/git.ts'
import type { RefChange } from '../../git/push/ref-change.ts'
import { zeroId } from '../../git/ref-name.ts'
import type { Merging } from '../../git/write/merging.ts'
import { recordEvent } from '../../issues/event-recording.ts'
import { placeOf } from '../../issues/issue-act.ts'
import type { IssueStates } from '../../issues/issue-state.ts'
import type { MergeCompletion } from '../merging/merge-completion.ts'
import { type Act, branches, type PullChanges, type Push, portion } from './pull-changes.ts'

type Needs = {
  store: Store
  git: Git
  merging: Merging
  settling: MergeCompletion
  states: IssueStates
  changes: PullChanges
}

/** Numbers per query. */
const maxNumbers = 500

export function makeMovedBases({ store: { db }, git, merging, settling, states, changes }: Needs) {
  const { isForce, change, forEachPull } = changes

  const close: Act = async (trx, by, { issue }) => void (await states.closeWithin(trx, by, issue.id))

  const tellForce =
    (sha: string): Act =>
    (trx, by, { issue: { id } }) =>
      recordEvent(trx, placeOf(by, id), 'base_ref_force_pushed', {}, { commitSha: sha })

  const selectByMovedBase = (push: Push, ref: string, after: number) =>
    selectOpenByBase(db, push.repository.id, [ref])
      .select(['pull.issue_id', 'pull.head_sha'])
      .where('pull.base_push_id', '<', push.id)
      .where('pull.issue_id', '>', after)
      .orderBy('pull.issue_id')
      .limit(portion)

  /** Marks the pulls whose commits the push brought to the base. */
  async function markLanded(push: Push, { ref, before, after }: RefChange, isOver: () => boolean): Promise<boolean> {
    if (before === zeroId) return true
    const words = ['for-each-ref', `--merged=${after}`, `--no-merged=${before}`, '--format=%(refname)', 'refs/pull/']
    const { code, output } = await git.run(push.repository, words)
    if (code !== 0) return true
    const numbers = [...output.toString().matchAll(/^refs\/pull\/(\d+)\/head$/gm)].map(([, number]) => Number(number))
    for (let at = 0; at < numbers.length; at += maxNumbers) {
      const some = numbers.slice(at, at + maxNumbers)
      const list = (last: number) =>
        selectByMovedBase(push, ref.slice(branches.length), last).where('issue.number', 'in', some).execute()
      const land = async ({ issue_id: issueId, head_sha: headSha }: { issue_id: number; head_sha: string }) => {
        const forkSha = (await merging.findFork(push.repository, { base: before, head: headSha })) ?? before
        const facts = { issueId, mergeSha: after, headSha, baseSha: before, forkSha }
        return change(push, issueId, 'base_push_id', async (trx, by, { row }) => {
          if (row.head_sha === headSha) await settling.markMerged(trx, by, facts)
        })
      }
      if (!(await forEachPull(list, isOver, land))) return false
    }
    return true
  }

  async function changeAll(push: Push, moved: RefChange, isOver: () => boolean): Promise<boolean> {
    const list = (after: number) => selectByMovedBase(push, moved.ref.slice(branches.length), after).execute()
    if ((await list(0)).length === 0) return true
    const isGone = moved.after === zeroId
    if (!isGone && !(await markLanded(push, moved, isOver))) return false
    if (!isGone && !(await isForce(push.repository, moved))) return true
    const act = isGone ? close : tellForce(moved.after)
    return forEachPull(list, isOver, ({ issue_id: id }) => change(push, id, 'base_push_id', act))
  }

  return {
    close,

    /** Answers false if the turn ended before all pulls were updated, or if the repository no longer takes writes. */
    change: changeAll,
  }
}

export const selectOpenByBase = (on: Db, repositoryId: number, refs: readonly string[]) =>
  on
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .where('pull.repository_id', '=', repositoryId)
    .where('pull.base_ref', 'in', refs)
    .where('issue.state', '=', 'open')
    .where('issue.deleted_at', 'is', null)
