/** Routes of an issue's timeline: all its events and comments, in order. */

import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Comment } from '../../../forge/issues/comments/comment.ts'
import type { CrossReference } from '../../../forge/issues/timeline/cross-references.ts'
import type { Timeline, TimelineItem, TimelineItems, TimelineKind } from '../../../forge/issues/timeline/timeline.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import { readable } from '../doors.ts'
import { presentGitCommit, type Verified } from '../git/present-git.ts'
import { presentUser } from '../people/present-people.ts'
import { presentReview } from '../pulls/present-review.ts'
import { readId } from '../query.ts'
import { presentListedRepository } from '../repositories/present-repository.ts'
import { list } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { formatTime, type View } from '../view.ts'
import { presentComment } from './comment-routes.ts'
import { presentEvent } from './present-event.ts'
import { presentIssue } from './present-issue.ts'

type Present<K extends TimelineKind> = (
  item: TimelineItems[K],
  repository: OpenRepository,
  view: View,
  verified: Verified,
) => unknown

/** Each kind of item that a source declares must have a presenter here. */
const presenters: { readonly [K in TimelineKind]: Present<K> } = {
  event: presentEvent,
  comment: presentCommented,
  'cross-reference': presentCrossReference,
  review: presentReviewed,
  commit: presentCommitted,
}

/** The author of the comment is the actor. */
function presentCommented(comment: Comment, repository: OpenRepository, view: View) {
  const shown = presentComment(comment, repository, view)
  return { ...shown, actor: shown.user, event: 'commented' }
}

function presentCrossReference({ actor, source, repository, createdAt }: CrossReference, _: unknown, view: View) {
  return {
    actor: presentUser(actor, view),
    created_at: formatTime(createdAt),
    updated_at: formatTime(createdAt),
    source: {
      type: 'issue',
      issue: {
        ...presentIssue(source, repository, view),
        repository: presentListedRepository(repository, view),
      },
    },
    event: 'cross-referenced',
  }
}

function presentReviewed({ review, number }: TimelineItems['review'], repository: OpenRepository, view: View) {
  return { ...presentReview(review, repository, number, view), event: 'reviewed' }
}

function presentCommitted(commit: TimelineItems['commit'], repository: OpenRepository, view: View, verified: Verified) {
  return { ...presentGitCommit(repository, commit, verified, view), event: 'committed' }
}

function presentItem(
  { kind, item }: TimelineItem,
  repository: OpenRepository,
  view: View,
  verified: Verified,
): unknown {
  const present = presenters[kind] as Present<TimelineKind>
  return present(item, repository, view, verified)
}

export const timelineRoutes = ({
  timeline,
  verifications,
}: {
  timeline: Timeline
  verifications: Verifications
}): readonly Route[] => [
  route('GET /repos/:owner/:repo/issues/:issue_number/timeline', {
    id: 'list-timeline-events-for-an-issue',
    summary: 'Lists the events, comments and everything else that happened to an issue, oldest first.',
    door: readable,
    permission: 'issues=read; pull_requests=read',
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const found = await timeline.list(actor, target, readId(params.issue_number), page)
      const commits = found.items.flatMap((one) => (one.kind === 'commit' ? [one.item as TimelineItems['commit']] : []))
      const verified = await verifications.verify(commits.map((commit) => ({ ...commit, by: commit.committer })))
      return list(found, (item) => presentItem(item, target, view, verified))
    },
  }),
]
