/** Collects the facts that branch rules need about a pull: approvals, and whether it is up to date. */
import { theServer } from '../../../accounts/actor.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import { listHolders, type OpenRepository, type Repository, readRepositories } from '../../access/repository.ts'
import type { MergeCase, MergeStanding, Opinions, ReviewDecision } from '../../commits/branch-rules.ts'
import { notFound } from '../../failures.ts'
import type { CodeOwners } from '../owners/code-owners.ts'
import type { PullReading } from '../pull-reading.ts'
import type { Reviews } from '../reviews/reviews.ts'

/** Everything that the branch's rules have against the merge, in sentences; empty if it may be merged. */
export type ListMergeFaults = (access: Access<'write'>, branch: string, merge: MergeCase) => Promise<readonly string[]>

export type ComputeMergeStanding = (repository: Repository, branch: string, merge: MergeCase) => Promise<MergeStanding>

export type DecideReviews = (
  repository: Repository,
  branch: string,
  opinions: Opinions,
) => Promise<ReviewDecision | undefined>

export type MergeConditions = ReturnType<typeof makeMergeConditions>

export function makeMergeConditions({
  store: { db },
  reviews,
  listMergeFaults,
  computeMergeStanding,
  decideReviews,
  codeOwners,
  reading,
}: {
  store: Store
  reviews: Reviews
  listMergeFaults: ListMergeFaults
  computeMergeStanding: ComputeMergeStanding
  decideReviews: DecideReviews
  codeOwners: CodeOwners
  reading: PullReading
}) {
  type MergeQuestion = Pick<MergeCase, 'headSha' | 'isUpToDate' | 'method'> & { readonly issueId: number }

  async function countOpinions(repository: Repository, issueId: number, headSha: string): Promise<Opinions> {
    const opinions = await reviews.listOpinions(repository, issueId)
    const reviewers = opinions.map(({ reviewerId }) => reviewerId)
    const writers = await listHolders(db, repository.id, 'write', reviewers)
    const counted = opinions.filter(({ reviewerId }) => writers.has(reviewerId))
    const approvals = counted.filter(({ state }) => state === 'APPROVED')
    return {
      approvals: approvals.length,
      currentApprovals: approvals.filter(({ commitSha }) => commitSha === headSha).length,
      hasChangesRequested: counted.some(({ state }) => state === 'CHANGES_REQUESTED'),
      async lacksOwners(isCurrent) {
        const heard = approvals.filter(({ commitSha }) => !isCurrent || commitSha === headSha)
        const pull = await reading.readById(theServer, await readWhole(repository), issueId)
        return !(await codeOwners.areContent(
          pull,
          heard.map(({ reviewerId }) => reviewerId),
        ))
      },
    }
  }

  async function readWhole({ id }: Repository): Promise<OpenRepository> {
    const found = (await readRepositories(db, theServer, [id])).get(id)
    if (!found) throw notFound()
    return found
  }

  const describe = async (repository: Repository, { issueId, ...known }: MergeQuestion): Promise<MergeCase> => ({
    ...known,
    ...(await countOpinions(repository, issueId, known.headSha)),
  })

  return {
    /** The reasons against a merge by this actor. */
    listFaults: async (access: Access<'write'>, branch: string, asked: MergeQuestion): Promise<readonly string[]> =>
      listMergeFaults(access, branch, await describe(access.repository, asked)),

    /** The mergeability for everyone who is bound by the rules. */
    computeStanding: async (repository: Repository, branch: string, asked: MergeQuestion): Promise<MergeStanding> =>
      computeMergeStanding(repository, branch, await describe(repository, asked)),

    /** The decision of the reviewers who may write. */
    decideReviews: async (
      repository: Repository,
      branch: string,
      { issueId, headSha }: Pick<MergeQuestion, 'issueId' | 'headSha'>,
    ) => decideReviews(repository, branch, await countOpinions(repository, issueId, headSha)),
  }
}
