/** Writing about lines of a pull: at once, or as part of a review. */
import { send } from '../api/forge.ts'
import type { Pull } from '../api/issue-types.ts'
import { keyOfLine, type LineRange } from '../parts/diff/diff-props.ts'
import { Form, useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { type PendingReview, toSent } from './pending-review.ts'

type Props = {
  readonly range: LineRange
  readonly pull: Pull
  readonly path: string
  readonly place: string
  readonly pending: PendingReview
  /** The text of the lines, which a suggestion begins with; undefined where nothing can be suggested. */
  readonly lines: string | undefined
  close(): void
  reload(): void
}

export function LineCommentForm({ range, pull, path, place, pending, lines, close, reload }: Props) {
  const draft = useDraft(`line ${path} ${keyOfLine(range)}`)
  const act = useAct()
  const isEmpty = draft.text.trim() === ''
  const done = () => {
    draft.clear()
    close()
  }
  const sendNow = () =>
    act.run(async () => {
      await send('POST', `${path}/comments`, { ...toSent({ ...range, body: draft.text }), commit_id: pull.head.sha })
      done()
      reload()
    })
  const keep = async () => {
    if (isEmpty) return
    pending.add({ ...range, key: crypto.randomUUID(), body: draft.text })
    done()
  }
  const suggest = () => {
    const fence = '```'
    draft.write(`${draft.text}${draft.text && '\n'}${fence}suggestion\n${lines}\n${fence}\n`)
  }
  const where = range.start ? `lines ${range.start.line} to ${range.line}` : `line ${range.line}`
  return (
    <Form act={act} submit={keep} class="line-form">
      <DraftNotice draft={draft} />
      <MarkdownField
        label={`Comment on ${where}`}
        isFocused
        rows={4}
        value={draft.text}
        change={draft.write}
        repository={place}
        submit={() => void keep()}
      />
      <div class="row">
        <button type="submit" class="button main" disabled={act.isBusy || isEmpty}>
          {pending.comments.length > 0 ? 'Add to the review' : 'Start a review'}
        </button>
        <button type="button" class="button" disabled={act.isBusy || isEmpty} onClick={() => void sendNow()}>
          Comment now
        </button>
        {lines !== undefined && (
          <button type="button" class="button quiet tight" onClick={suggest}>
            Suggest a change
          </button>
        )}
        <button type="button" class="button quiet tight" onClick={done}>
          Cancel
        </button>
      </div>
    </Form>
  )
}
