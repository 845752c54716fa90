/** Reviews and commits of a pull in its timeline. */
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Commit } from '../git/read/commit.ts'
import type { TimelineSource } from '../issues/timeline/timeline.ts'
import { maxPullCommits, type PullFigures } from './pull-figures.ts'
import type { PullReading } from './pull-reading.ts'
import type { Review } from './reviews/review.ts'
import type { ReviewReading } from './reviews/review-reading.ts'

declare module '../issues/timeline/timeline.ts' {
  interface TimelineItems {
    /** `number`: the pull's. */
    readonly review: { readonly review: Review; readonly number: number }
    readonly commit: Commit
  }
}

export function makeReviewItems({
  store: { db },
  reviewReading,
}: {
  store: Store
  reviewReading: ReviewReading
}): TimelineSource<'review'> {
  return {
    kind: 'review',
    async listKeys(_viewer, issue) {
      if (issue.is_pull === 0) return []
      const rows = await db
        .selectFrom('review')
        .select(['id', 'submitted_at'])
        .where('issue_id', '=', issue.id)
        .where('state', '!=', 'PENDING')
        .orderBy('id')
        .execute()
      return rows.map(({ id, submitted_at }) => ({ id, at: submitted_at ?? 0 }))
    },
    async read(_viewer, issue, ids) {
      const reviews = await reviewReading.readReviews(ids)
      return new Map([...reviews].map(([id, review]) => [id, { review, number: issue.number }]))
    },
  }
}

type CommitNeeds = { clock: Clock; reading: PullReading; figures: PullFigures }

/** A commit's id is its index in the pull, which orders commits of the same time. */
export function makeCommitItems({ clock, reading, figures }: CommitNeeds): TimelineSource<'commit'> {
  const listCommits: (...args: Parameters<TimelineSource<'commit'>['listKeys']>) => Promise<readonly Commit[]> = async (
    actor,
    issue,
    repository,
  ) => {
    const [pull] = issue.is_pull === 1 ? await reading.readByIds(actor, repository, [issue.id]) : []
    return pull ? (await figures.commits(pull, { offset: 0, limit: maxPullCommits })).items : []
  }
  return {
    kind: 'commit',
    async listKeys(actor, issue, repository) {
      // Committers can claim any time: clamp it to no earlier than the parents' and no later than now.
      const now = clock.now()
      let latest = 0
      return (await listCommits(actor, issue, repository)).map(({ committer }, id) => {
        latest = Math.min(Math.max(latest, committer.date.getTime()), now)
        return { id, at: latest }
      })
    },
    async read(actor, issue, ids, repository) {
      const commits = await listCommits(actor, issue, repository)
      return new Map(ids.flatMap((id) => (commits[id] ? [[id, commits[id]] as const] : [])))
    },
  }
}
