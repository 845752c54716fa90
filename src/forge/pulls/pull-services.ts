/** Builds and connects the services of pulls. */

import type { Tokens } from '../../accounts/tokens.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import type { Opening } from '../access/opening.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { Checks } from '../checks/checks.ts'
import type { Statuses } from '../commits/statuses.ts'
import type { Maintenance } from '../git/folders/maintenance.ts'
import type { Git } from '../git/process/git.ts'
import type { CheckPush } from '../git/push/push-rules.ts'
import type { Pushes } from '../git/push/pushes.ts'
import type { RefMoving } from '../git/push/ref-moving.ts'
import type { Comparing } from '../git/read/comparing.ts'
import type { Contents } from '../git/read/contents.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { Copying } from '../git/write/copying.ts'
import type { Merging } from '../git/write/merging.ts'
import type { RefWriting } from '../git/write/ref-writing.ts'
import type { IssueOpening } from '../issues/issue-opening.ts'
import type { IssueReading } from '../issues/issue-reading.ts'
import type { IssueStates } from '../issues/issue-state.ts'
import type { Issues } from '../issues/issues.ts'
import type { ConnectLinked } from '../issues/references/linked-branches.ts'
import type { Timeline } from '../issues/timeline/timeline.ts'
import type { NoteText } from '../issues/written-text.ts'
import type { LfsSharing } from '../lfs/lfs-sharing.ts'
import type { People } from '../people/people.ts'
import type { Forks } from '../repositories/forks.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { makeCommitPulls } from './commit-pulls.ts'
import { followFormerHeads } from './following/former-heads.ts'
import { makeOrphanedPulls } from './following/orphaned-pulls.ts'
import { makePullFollowing } from './following/pull-following.ts'
import { makePullTurns } from './following/pull-turns.ts'
import { type DismissesStale, makePushedPulls } from './following/pushed-pulls.ts'
import { makeUnlessLost } from './lost-commits.ts'
import { makeAutoMerging } from './merging/auto-merging.ts'
import { type AfterMerge, makeMergeCompletion } from './merging/merge-completion.ts'
import {
  type ComputeMergeStanding,
  type DecideReviews,
  type ListMergeFaults,
  makeMergeConditions,
} from './merging/merge-conditions.ts'
import { makePullMerging } from './merging/pull-merging.ts'
import { makePullReverting } from './merging/reverting.ts'
import { makeTestMerging } from './merging/test-merging.ts'
import { makeUpstreamMerging } from './merging/upstream-merging.ts'
import { makeCodeOwners } from './owners/code-owners.ts'
import { serveOwnerRequests } from './owners/owner-requests.ts'
import { makePullEnds } from './pull-ends.ts'
import { makePullFigures } from './pull-figures.ts'
import { makePullOpening } from './pull-opening.ts'
import { makePullReading } from './pull-reading.ts'
import { makeCommitItems, makeReviewItems } from './pull-timeline.ts'
import { makePulls } from './pulls.ts'
import { makeCommentPlaces } from './reviews/comment-place.ts'
import { makeReviewComments } from './reviews/review-comments.ts'
import { makeReviewReading } from './reviews/review-reading.ts'
import { makeReviewRequests } from './reviews/review-requests.ts'
import { makeReviewThreads } from './reviews/review-threads.ts'
import { makeReviews } from './reviews/reviews.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  activity: ActivityRecord
  opening: Opening
  people: People
  git: Git
  reading: GitReading
  comparing: Comparing
  contents: Contents
  copying: Copying
  merging: Merging
  refMoving: RefMoving
  refs: RefWriting
  pushes: Pushes
  forks: Forks
  issues: Issues
  issueOpening: IssueOpening
  issueReading: IssueReading
  issueStates: IssueStates
  checkPush: CheckPush
  listMergeFaults: ListMergeFaults
  computeMergeStanding: ComputeMergeStanding
  decideReviews: DecideReviews
  dismissesStale: DismissesStale
  noteText: NoteText
  timeline: Timeline
  afterMerge: AfterMerge
  connectLinked: ConnectLinked
  recall: Tokens['recall']
  statuses: Pick<Statuses, 'consume'>
  checks: Pick<Checks, 'consume'>
  lfsSharing: LfsSharing
  storage: StorageQuota
  tidying: Maintenance
}

export function makePullServices(needs: Needs) {
  const { issueReading, issueStates: states, reading: gitReading } = needs
  const ends = makePullEnds(needs)
  followFormerHeads(needs)
  const following = makePullFollowing({ ...needs, ends })
  const settling = makeMergeCompletion({ ...needs, states })
  const reading = makePullReading({ store: needs.store, reading: gitReading, issueReading, ends })
  const turns = makePullTurns(needs)
  const testMerging = makeTestMerging({ ...needs, ends, turns })
  const opening = makePullOpening({ ...needs, ends, following, testMerging })
  const pushedPulls = makePushedPulls({ ...needs, ends, following, settling, states, testMerging, turns })
  const unlessLost = makeUnlessLost(gitReading)
  const figures = makePullFigures({ ...needs, unlessLost })
  const places = makeCommentPlaces({ figures, merging: needs.merging })
  const reviewReading = makeReviewReading({ store: needs.store, pullReading: reading, figures })
  needs.timeline.add(makeReviewItems({ store: needs.store, reviewReading }))
  needs.timeline.add(makeCommitItems({ clock: needs.clock, reading, figures }))
  const reviews = makeReviews({ ...needs, places, reviewReading })
  const codeOwners = makeCodeOwners({ ...needs, figures })
  const reviewRequests = makeReviewRequests(needs)
  serveOwnerRequests({ ...needs, ends, reading, codeOwners, requests: reviewRequests })
  const judging = makeMergeConditions({ ...needs, reviews, codeOwners, reading })
  const pullMerging = makePullMerging({ ...needs, ends, following, judging, unlessLost })
  const autoMerging = makeAutoMerging({ ...needs, pullMerging })
  needs.statuses.consume(autoMerging.considerCommitWithin)
  needs.checks.consume(autoMerging.considerCommitWithin)
  return {
    autoMerging,
    pulls: makePulls({
      ...{ ...needs, states, reading, ends, following, opening },
      ...{ accessOpening: needs.opening, findCommitPulls: makeCommitPulls({ ...needs, ends }) },
    }),
    pullFigures: figures,
    testMerging,
    pullMerging,
    pullReverting: makePullReverting({ ...needs, ends, opening }),
    upstreamMerging: makeUpstreamMerging({ ...needs, ends }),
    reviews,
    reviewReading,
    reviewComments: makeReviewComments({ ...needs, places, reviewReading }),
    codeOwners,
    reviewRequests,
    reviewThreads: makeReviewThreads({ ...needs, reviewReading }),
    pushedPulls,
    beforeDeletion: makeOrphanedPulls({ ...needs, ends, states }),
  }
}
