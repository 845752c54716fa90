/** A review in the conversation: its verdict, what it says, and the threads that it began. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Review } from '../api/issue-types.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { When } from '../parts/when.tsx'
import { type LineThread, LineThreadView, type ThreadContext } from './review-threads.tsx'

const verdicts: Readonly<Record<Review['state'], readonly [words: string, look: string]>> = {
  APPROVED: ['approved these changes', 'good'],
  CHANGES_REQUESTED: ['requested changes', 'bad'],
  COMMENTED: ['reviewed', ''],
  DISMISSED: ['reviewed; the review was dismissed', ''],
  PENDING: ['started a review that is still pending', 'wait'],
}

type Props = ThreadContext & { readonly review: Review; readonly threads: readonly LineThread[] }

export function ReviewBox({ review, threads, ...context }: Props) {
  const { pull, place, mayWrite, reload } = context
  const own = threads.filter(({ root }) => root.pull_request_review_id === review.id)
  // An answer to a comment is a review of its own, which says nothing more.
  if (review.state === 'COMMENTED' && !review.body && own.length === 0) return null
  const [words, look] = verdicts[review.state]
  const mayDismiss = mayWrite && ['APPROVED', 'CHANGES_REQUESTED'].includes(review.state)
  return (
    <div class="review" id={`pullrequestreview-${review.id}`}>
      <p class={`happening verdict-line ${look}`}>
        {review.user && <Avatar id={review.user.id} />}
        <span>
          <a class="strong" href={`/${review.user?.login ?? 'ghost'}`}>
            {review.user?.login ?? 'ghost'}
          </a>{' '}
          <span class={look && `${look}-text`}>{words}</span>{' '}
          {review.submitted_at && <When at={Date.parse(review.submitted_at)} />}
        </span>
      </p>
      {review.body && (
        <div class="card review-text">
          <Rendered html={review.body_html ?? ''} />
        </div>
      )}
      {own.map((thread) => (
        <LineThreadView key={thread.root.id} thread={thread} {...context} />
      ))}
      {mayDismiss && (
        <Dismissal path={`/repos/${place}/pulls/${pull.number}/reviews/${review.id}/dismissals`} reload={reload} />
      )}
    </div>
  )
}

function Dismissal({ path, reload }: { path: string; reload(): void }) {
  const [isOpen, setOpen] = useState(false)
  const [message, setMessage] = useState('')
  const act = useAct()
  if (!isOpen)
    return (
      <p class="dismissal">
        <button type="button" class="button quiet tight" onClick={() => setOpen(true)}>
          Dismiss review
        </button>
      </p>
    )
  return (
    <Form
      act={act}
      class="dismissal row"
      submit={async () => {
        await send('PUT', path, { message })
        setOpen(false)
        reload()
      }}
    >
      <input
        class="input grow"
        required
        aria-label="Reason for dismissing"
        placeholder="Reason for dismissing"
        value={message}
        onInput={(event) => setMessage(event.currentTarget.value)}
      />
      <Submit act={act}>Dismiss</Submit>
    </Form>
  )
}
