/** The conversation of a pull: what was said and reviewed, whether it can be merged, and what is still required. */
import type { Repository } from '../api/forge-types.ts'
import type { Pull, ReviewComment } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { CommentBox } from '../issues/comment-box.tsx'
import { CommentForm } from '../issues/comment-form.tsx'
import { Hidden, participants, quoteInto } from '../issues/issue.tsx'
import { IssueSide, rightsOn } from '../issues/issue-side.tsx'
import { SideActs } from '../issues/side-acts.tsx'
import { placeOfThread, type Thread, threadPath } from '../issues/thread.ts'
import { Timeline } from '../issues/timeline.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { Ready } from '../parts/state.tsx'
import { ClosingIssues } from './closing-issues.tsx'
import { MergeBox } from './merge-box.tsx'
import { type Checks, useConversation } from './pull-data.ts'
import { PullPage } from './pull-page.tsx'
import { latestReviews, Reviewers } from './pull-side.tsx'
import { ReviewBox } from './review-box.tsx'
import { toThreads } from './review-threads.tsx'

export function PullView({ params }: ViewProps) {
  const place = placeOfThread(params)
  const { thread, pull, comments, checks, showMore, reload } = useConversation(place)
  return (
    <PullPage params={params} tab="conversation" loaded={pull} reload={reload}>
      {(shown, repository) => (
        <Ready of={thread}>
          {(found) => (
            <Conversation
              pull={shown}
              thread={found}
              repository={repository}
              comments={comments.value ?? []}
              checks={checks.value}
              showMore={showMore}
              reload={reload}
            />
          )}
        </Ready>
      )}
    </PullPage>
  )
}

type Props = {
  readonly pull: Pull
  readonly thread: Thread
  readonly repository: Repository
  readonly comments: readonly ReviewComment[]
  readonly checks: Checks | undefined
  showMore(): void
  reload(): void
}

function Conversation({ pull, thread, repository, comments, checks, showMore, reload }: Props) {
  const { account } = useSession()
  const { issue } = thread
  const name = repository.full_name
  const path = threadPath({ owner: repository.owner.login, repo: repository.name, number: pull.number })
  const { mayTriage, mayWrite } = rightsOn(repository)
  const isAuthor = account !== undefined && pull.user?.login === account.AccountName
  const draft = useDraft(`comment ${path}`)
  const items = [...thread.first, ...thread.last]
  const people = participants(issue, items)
  const logins = people.map(({ login }) => login)
  const mayComment = account !== undefined && (!pull.locked || mayWrite) && !repository.archived
  const quote = quoteInto(draft)
  const threads = toThreads(comments)
  const context = { pull, place: name, people: logins, mayWrite, mayComment, reload }
  const shared = {
    ...context,
    ...(account && { quote }),
    showReview: (review: Parameters<typeof ReviewBox>[0]['review']) => (
      <ReviewBox review={review} threads={threads} {...context} />
    ),
  }
  const reviews = latestReviews(items, pull.user?.login)
  return (
    <div class="thread">
      <div class="conversation">
        <CommentBox
          of={issue}
          path={path}
          repository={name}
          people={logins}
          mayWrite={mayWrite}
          verb="opened this"
          {...(account && { quote })}
          reload={reload}
        />
        <Timeline items={thread.first} {...shared} />
        {thread.hidden > 0 && <Hidden count={thread.hidden} showMore={showMore} />}
        {thread.last.length > 0 && <Timeline items={thread.last} {...shared} />}
        <MergeBox pull={pull} repository={repository} checks={checks} reviews={reviews} reload={reload} />
        <CommentForm
          draft={draft}
          repository={name}
          people={logins}
          path={path}
          isPull
          isOpen={pull.state === 'open'}
          isMerged={pull.merged}
          mayClose={(mayTriage || isAuthor) && !repository.archived}
          mayComment={(!pull.locked || mayWrite) && !repository.archived}
          isArchived={repository.archived}
          reload={reload}
        />
      </div>
      <IssueSide
        issue={issue}
        repository={repository}
        people={people}
        reload={reload}
        before={<Reviewers pull={pull} repository={repository} reviews={reviews} reload={reload} />}
      >
        {account && <ClosingIssues pull={pull} repository={repository} />}
        <SideActs issue={issue} repository={repository} isPull reload={reload} />
      </IssueSide>
    </div>
  )
}
