/** Reads a page of events with all details in a fixed number of queries. Leaves out deleted and moved subjects. */
import type { Selectable } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { FeedEventTable } from '../../store/schema/feed-tables.ts'
import type { Store } from '../../store/store.ts'
import { readSeen } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { isGrantedTo } from '../access/required-grant.ts'
import type { CommitComments } from '../commits/comments.ts'
import { completeComments, selectComments } from '../issues/comments/comment-reading.ts'
import type { Issue } from '../issues/issue.ts'
import type { IssueReading } from '../issues/issue-reading.ts'
import { readPeople } from '../people/reading.ts'
import type { ReviewReading } from '../pulls/reviews/review-reading.ts'
import { completeReleases, selectReleases } from '../releases/release-reading.ts'
import { type FeedEvent, type FeedPayloads, type FeedType, type PullBrief, permissionOf } from './feed-event.ts'

export type FeedRow = Selectable<FeedEventTable>

type Needs = {
  store: Store
  issueReading: IssueReading
  reviewReading: ReviewReading
  commitComments: CommitComments
}

export type FeedReading = ReturnType<typeof makeFeedReading>

export function makeFeedReading({ store: { db }, issueReading, reviewReading, commitComments }: Needs) {
  async function readPulls(
    actor: Actor,
    issues: ReadonlyMap<number, Issue>,
    bases: ReadonlyMap<number, OpenRepository>,
    ids: readonly number[],
  ): Promise<Map<number, PullBrief>> {
    if (ids.length === 0) return new Map()
    const rows = await db.selectFrom('pull').selectAll().where('issue_id', 'in', ids).execute()
    const heads = await readSeen(
      db,
      actor,
      rows.flatMap(({ head_repository_id }) => head_repository_id ?? []),
    )
    return new Map(
      rows.flatMap((row) => {
        const issue = issues.get(row.issue_id)
        if (!issue) return []
        const head = (row.head_repository_id !== null && heads.get(row.head_repository_id)) || null
        const base = bases.get(issue.repositoryId) ?? null
        const brief: PullBrief = {
          issue,
          base: { ref: row.base_ref, sha: row.base_sha, repository: base },
          head: { ref: row.head_ref, sha: row.head_sha, repository: head },
        }
        return [[row.issue_id, brief]]
      }),
    )
  }

  async function readReleases(ids: readonly number[]) {
    if (ids.length === 0) return new Map()
    const rows = await selectReleases(db).where('release.id', 'in', ids).where('release.is_draft', '=', 0).execute()
    return new Map((await completeReleases(db, rows)).map((release) => [release.id, release]))
  }

  async function readComments(ids: readonly number[]) {
    if (ids.length === 0) return new Map()
    const rows = await selectComments(db).where('issue_comment.id', 'in', ids).execute()
    return new Map((await completeComments(db, rows)).map((comment) => [comment.id, comment]))
  }

  return {
    /** `repositories`: the rows' repositories that the actor may see. */
    async complete(
      actor: Actor,
      rows: readonly FeedRow[],
      repositories: ReadonlyMap<number, OpenRepository>,
    ): Promise<FeedEvent[]> {
      const subjects = (...types: FeedType[]) => [
        ...new Set(rows.filter(({ type }) => types.includes(type as FeedType)).flatMap((row) => row.subject_id ?? [])),
      ]
      const details = new Map(rows.map((row) => [row.id, JSON.parse(row.data)]))
      const detailIds = (type: FeedType, name: 'commentId' | 'reviewId'): number[] => [
        ...new Set(rows.filter((row) => row.type === type).map((row) => details.get(row.id)[name] as number)),
      ]
      const ofPulls = subjects('PullRequestEvent', 'PullRequestReviewEvent', 'PullRequestReviewCommentEvent')
      const issues = await issueReading.readByIds([...subjects('IssuesEvent', 'IssueCommentEvent'), ...ofPulls])
      const pulls = await readPulls(actor, issues, repositories, ofPulls)
      const comments = await readComments(detailIds('IssueCommentEvent', 'commentId'))
      const reviews = await reviewReading.readReviews(detailIds('PullRequestReviewEvent', 'reviewId'))
      const lineComments = await reviewReading.readAsWritten(detailIds('PullRequestReviewCommentEvent', 'commentId'))
      const releases = await readReleases(subjects('ReleaseEvent'))
      const commitComment = await commitComments.readByIds(subjects('CommitCommentEvent'))
      const forks = await readSeen(db, actor, subjects('ForkEvent'))
      const people = await readPeople(db, [...rows.map(({ actor_id }) => actor_id), ...subjects('MemberEvent')])

      const payloads: { readonly [T in FeedType]: (row: FeedRow) => FeedPayloads[T] | undefined } = {
        PushEvent: ({ id }) => details.get(id),
        CreateEvent: ({ id }) => (details.get(id).ref === undefined ? null : details.get(id)),
        DeleteEvent: ({ id }) => details.get(id),
        ForkEvent: ({ subject_id }) => forks.get(subject_id!),
        WatchEvent: () => null,
        PublicEvent: () => null,
        MemberEvent: ({ subject_id }) => people.get(subject_id!),
        IssuesEvent: ({ subject_id }) => issues.get(subject_id!),
        IssueCommentEvent({ id, subject_id }) {
          const [issue, comment] = [issues.get(subject_id!), comments.get(details.get(id).commentId)]
          return issue && comment && { issue, comment }
        },
        PullRequestEvent: ({ subject_id }) => pulls.get(subject_id!),
        PullRequestReviewEvent({ id, subject_id }) {
          const [pull, review] = [pulls.get(subject_id!), reviews.get(details.get(id).reviewId)]
          return pull && review && { pull, review }
        },
        PullRequestReviewCommentEvent({ id, subject_id }) {
          const [pull, comment] = [pulls.get(subject_id!), lineComments.get(details.get(id).commentId)]
          return pull && comment && { pull, comment }
        },
        ReleaseEvent: ({ subject_id }) => releases.get(subject_id!),
        CommitCommentEvent: ({ subject_id }) => commitComment.get(subject_id!),
      }

      return rows.flatMap((row) => {
        const type = row.type as FeedType
        const repository = repositories.get(row.repository_id)
        const payload = payloads[type](row)
        if (!repository || payload === undefined || !mayRead(actor, repository, type)) return []
        const issue = row.subject_id === null ? undefined : issueOf(type, issues.get(row.subject_id))
        // A transferred issue appears only in its new repository, for readers of that one.
        if (issue && (issue.repositoryId !== row.repository_id || isOff(issue, repository))) return []
        return [
          {
            id: row.id,
            type,
            action: row.action,
            actor: people.get(row.actor_id)!,
            repository,
            isPublic: row.is_private === 0,
            createdAt: new Date(row.created_at),
            payload,
          } as FeedEvent,
        ]
      })
    },
  }
}

const issueTypes: ReadonlySet<FeedType> = new Set<FeedType>([
  'IssuesEvent',
  'IssueCommentEvent',
  'PullRequestEvent',
  'PullRequestReviewEvent',
  'PullRequestReviewCommentEvent',
])
const issueOf = (type: FeedType, issue: Issue | undefined) => (issueTypes.has(type) ? issue : undefined)

const isOff = (issue: Issue, { options }: OpenRepository): boolean => !issue.isPull && !options.hasIssues

/** In private repositories, a token sees only the types that it has permission for. */
function mayRead(actor: Actor, { isPrivate }: OpenRepository, type: FeedType): boolean {
  return !isPrivate || isGrantedTo(actor, { scopes: [], permissions: [{ name: permissionOf[type], level: 'read' }] })
}
