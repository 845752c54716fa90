/** The issues that a merged pull closes: those its text says it fixes, and those it is connected with. */
import type { Db } from '../../../store/schema/schema.ts'
import type { IssueAct } from '../issue-act.ts'
import type { IssueStates } from '../issue-state.ts'
import type { CommitReferences } from './commit-references.ts'
import { resolveReferences } from './resolving.ts'

/** `commitSha`: the merge commit, or the newest rebased one. */
export type MergedPull = { readonly issueId: number; readonly body: string | null; readonly commitSha: string }

type Needs = { states: IssueStates; commitReferences: CommitReferences; origin: string | undefined }

export type MergeClosing = ReturnType<typeof makeMergeClosing>

/** Runs within the merge's write, which holds the lock on the issues. Only for pulls into the default branch. */
export const makeMergeClosing =
  ({ states, commitReferences, origin }: Needs) =>
  async (trx: Db, act: IssueAct, { issueId, body, commitSha }: MergedPull): Promise<void> => {
    const named = await resolveReferences(trx, { ...act, isPublicElsewhere: true }, origin, body ?? '')
    const closed = named.filter(({ closes, isPull }) => closes && !isPull)
    const connected = await trx
      .selectFrom('issue_connection')
      .select('issue_id')
      .where('pull_id', '=', issueId)
      .orderBy('issue_id')
      .execute()
    const own = closed.filter(({ repositoryId }) => repositoryId === act.repository.id).map(({ id }) => id)
    for (const id of new Set([...own, ...connected.map(({ issue_id }) => issue_id)]))
      await states.closeWithin(trx, act, id, { commitSha })
    const elsewhere = closed.filter(({ repositoryId }) => repositoryId !== act.repository.id)
    await commitReferences.closeElsewhere(
      trx,
      { actorId: act.actorId, credential: act.pushedBy, commitRepositoryId: act.repository.id },
      elsewhere.map((issue) => ({ ...issue, sha: commitSha })),
    )
  }
