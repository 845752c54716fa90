/** What the rules of a base branch are told of a pull: who with a say in the repository has approved it, and whether it is up to date. */
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import { type Repository, selectRepositories, toOpenRepository } from '../access/repository.ts'
import type { MergeMethod } from './pull.ts'
import type { Reviews } from './reviews/reviews.ts'

export type MergeCase = {
  readonly headSha: string
  readonly approvals: number
  /** Those of the head as it is. */
  readonly currentApprovals: number
  readonly hasChangesRequested: boolean
  /** Whether the head has all of the base. */
  readonly isUpToDate: boolean
  readonly method: MergeMethod
}

/** All that the rules of the branch have against it, in sentences; none where it may be merged. */
export type JudgeMerge = (access: Access<'write'>, branch: string, merge: MergeCase) => Promise<readonly string[]>

export type MergeStanding = 'blocked' | 'behind' | 'unstable' | 'clean'
export type JudgeStanding = (repository: Repository, branch: string, merge: MergeCase) => Promise<MergeStanding>

/** Each is a look at the rights of one. */
const maxReviewers = 100

export type MergeJudging = ReturnType<typeof makeMergeJudging>

export function makeMergeJudging({
  store: { db },
  reviews,
  judgeMerge,
  judgeStanding,
}: {
  store: Store
  reviews: Reviews
  judgeMerge: JudgeMerge
  judgeStanding: JudgeStanding
}) {
  async function mayWrite(repository: Repository, userId: number): Promise<boolean> {
    const row = await selectRepositories(db, userId).where('repository.id', '=', repository.id).executeTakeFirst()
    return row !== undefined && reaches(toOpenRepository(row, { id: userId, isSiteAdmin: false }).level, 'write')
  }

  type Asked = Pick<MergeCase, 'headSha' | 'isUpToDate' | 'method'> & { readonly issueId: number }

  async function describe(repository: Repository, { issueId, ...known }: Asked): Promise<MergeCase> {
    const opinions = (await reviews.listOpinions(issueId)).slice(0, maxReviewers)
    const counted = []
    for (const opinion of opinions) if (await mayWrite(repository, opinion.reviewerId)) counted.push(opinion)
    const approvals = counted.filter(({ state }) => state === 'APPROVED')
    return {
      ...known,
      approvals: approvals.length,
      currentApprovals: approvals.filter(({ commitSha }) => commitSha === known.headSha).length,
      hasChangesRequested: counted.some(({ state }) => state === 'CHANGES_REQUESTED'),
    }
  }

  return {
    /** What stands against a merge by whoever came through the door. */
    judge: async (access: Access<'write'>, branch: string, asked: Asked): Promise<readonly string[]> =>
      judgeMerge(access, branch, await describe(access.repository, asked)),

    /** How it stands for all who keep to the rules. */
    judgeStanding: async (repository: Repository, branch: string, asked: Asked): Promise<MergeStanding> =>
      judgeStanding(repository, branch, await describe(repository, asked)),
  }
}
