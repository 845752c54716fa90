/** Submits a review: a verdict, a text, and all pending line comments. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { Pull } from '../api/issue-types.ts'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { type PendingReview, toSent } from './pending-review.ts'

type Verdict = 'COMMENT' | 'APPROVE' | 'REQUEST_CHANGES'

/** Kept outside of the form, which is made anew when the pull's head moves. */
export type Finishing = {
  readonly isOpen: boolean
  readonly verdict: Verdict
  open(isOpen: boolean): void
  choose(verdict: Verdict): void
}

type Props = {
  readonly finishing: Finishing
  readonly pull: Pull
  readonly path: string
  readonly place: string
  readonly pending: PendingReview
  readonly isAuthor: boolean
  reload(): void
}

const verdicts = [
  ['COMMENT', 'Comment', 'General feedback without a verdict.'],
  ['APPROVE', 'Approve', 'These changes can be merged.'],
  ['REQUEST_CHANGES', 'Request changes', 'Changes are needed before merging.'],
] as const

export function useFinishing(): Finishing {
  const [isOpen, open] = useState(false)
  const [verdict, choose] = useState<Verdict>('COMMENT')
  return { isOpen, verdict, open, choose }
}

export function FinishReview({ finishing, pull, path, place, pending, isAuthor, reload }: Props) {
  const { isOpen, verdict } = finishing
  const draft = useDraft(`verdict ${path}`)
  const act = useAct()
  const count = pending.comments.length
  const submit = async () => {
    await send('POST', `${path}/reviews`, {
      event: verdict,
      body: draft.text,
      commit_id: pull.head.sha,
      comments: pending.comments.map(toSent),
    })
    pending.clear()
    draft.clear()
    finishing.open(false)
    reload()
  }
  return (
    <div class="finish-review">
      <button type="button" class="button main" aria-expanded={isOpen} onClick={() => finishing.open(!isOpen)}>
        {count > 0 ? `Finish your review (${count})` : 'Review changes'}
      </button>
      {isOpen && (
        <div class="card">
          <Form act={act} submit={submit}>
            <DraftNotice draft={draft} />
            <MarkdownField
              label="Your review"
              isFocused
              rows={4}
              value={draft.text}
              change={draft.write}
              repository={place}
            />
            <RadioChoice<Verdict>
              legend="Verdict"
              name="verdict"
              value={verdict}
              options={isAuthor ? verdicts.slice(0, 1) : verdicts}
              choose={finishing.choose}
            />
            <div class="row">
              <Submit act={act}>Submit review</Submit>
              {count > 0 && (
                <button type="button" class="button quiet" onClick={pending.clear}>
                  Discard {count === 1 ? 'the comment' : `the ${count} comments`}
                </button>
              )}
            </div>
          </Form>
        </div>
      )}
    </div>
  )
}
