/** Comments on lines of a pull: each thread with the lines it is about, its answers, and what it suggests. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import { queryGraphql } from '../api/graphql.ts'
import type { Pull, ReviewComment } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { CommentBox } from '../issues/comment-box.tsx'
import type { LinePlace } from '../parts/diff/diff-props.ts'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { hasDraft, useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { FailedAct } from '../parts/state.tsx'
import { Suggestion } from './suggestion.tsx'

export type LineThread = { readonly root: ReviewComment; readonly answers: readonly ReviewComment[] }

/** Answers stand below what they answer, in the order they were written. */
export function toThreads(comments: readonly ReviewComment[]): readonly LineThread[] {
  const answers = Map.groupBy(
    comments.filter(({ in_reply_to_id: id }) => id !== undefined),
    ({ in_reply_to_id: id }) => id!,
  )
  return comments
    .filter(({ in_reply_to_id: id }) => id === undefined)
    .map((root) => ({ root, answers: answers.get(root.id) ?? [] }))
}

/** Where a thread stands among the changes; undefined where its line is gone. */
export const placeOfThread = ({ root: { path, side, line } }: LineThread): LinePlace | undefined =>
  line === null ? undefined : { path, side, line }

export type ThreadContext = {
  readonly pull: Pull
  /** `owner/name`. */
  readonly place: string
  readonly people: readonly string[]
  readonly mayWrite: boolean
  readonly mayComment: boolean
  reload(): void
}

type Props = ThreadContext & {
  readonly thread: LineThread
  /** Its lines stand around it already. */
  readonly isAmongLines?: boolean
}

const mostHunkLines = 5

/** Resolved threads are folded until they are opened. */
export function LineThreadView(props: Props) {
  const mark = props.thread.root.thread
  if (!mark?.isResolved) return <OpenThread {...props} />
  return (
    <details class="line-thread-folded">
      <summary>
        <span class="small">
          Resolved{mark.by && ` by ${mark.by}`}: <bdi>{props.thread.root.path}</bdi>
        </span>
      </summary>
      <OpenThread {...props} />
    </details>
  )
}

function OpenThread(props: Props) {
  const { thread, isAmongLines = false, pull, place, people, mayWrite, mayComment, reload } = props
  const { account } = useSession()
  const { root, answers } = thread
  const range = root.original_start_line
    ? `lines ${root.original_start_line} to ${root.original_line}`
    : `line ${root.original_line}`
  const path = `/repos/${place}/pulls/${pull.number}/comments/${root.id}/replies`
  return (
    <div class="line-thread">
      {!isAmongLines && (
        <>
          <p class="line-thread-head row">
            <a href={`/${place}/pull/${pull.number}/files#${encodeURIComponent(`diff-${root.path}`)}`}>
              <bdi>{root.path}</bdi>
            </a>
            <span class="small soft">{root.subject_type === 'file' ? 'the whole file' : range}</span>
            {root.subject_type === 'line' && root.line === null && <span class="badge">Outdated</span>}
          </p>
          {root.subject_type === 'line' && (
            <pre class="hunk" tabIndex={0}>
              {root.diff_hunk
                .split('\n')
                .slice(-mostHunkLines)
                .map((line, at) => (
                  <span
                    key={at}
                    class={line.startsWith('+') ? 'added-line' : line.startsWith('-') ? 'removed-line' : ''}
                  >
                    {`${line}\n`}
                  </span>
                ))}
            </pre>
          )}
        </>
      )}
      {[root, ...answers].map((comment) => (
        <CommentBox
          key={comment.id}
          of={comment}
          path={new URL(comment.url).pathname}
          repository={place}
          people={people}
          mayWrite={mayWrite}
          mayDelete
          reload={reload}
        >
          <Suggestion
            pull={pull}
            comment={comment}
            mayApply={mayWrite || (account !== undefined && pull.user?.login === account.AccountName)}
            reload={reload}
          />
        </CommentBox>
      ))}
      {mayComment && (
        <div class="row">
          <Answer path={path} place={place} people={people} reload={reload} />
          {root.thread && (mayWrite || pull.user?.login === account?.AccountName) && (
            <Resolve id={root.thread.id} isResolved={root.thread.isResolved} reload={reload} />
          )}
        </div>
      )}
    </div>
  )
}

const resolving = (name: string) => `mutation($id: ID!) { ${name}(input: {threadId: $id}) { thread { id } } }`

function Resolve({ id, isResolved, reload }: { id: string; isResolved: boolean; reload(): void }) {
  const act = useAct()
  const turn = () =>
    act.run(async () => {
      await queryGraphql(resolving(isResolved ? 'unresolveReviewThread' : 'resolveReviewThread'), { id })
      reload()
    })
  return (
    <>
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void turn()}>
        {isResolved ? 'Unresolve conversation' : 'Resolve conversation'}
      </button>
      <FailedAct act={act} />
    </>
  )
}

type AnswerProps = { readonly path: string; readonly place: string; readonly people: readonly string[]; reload(): void }

function Answer({ path, place, people, reload }: AnswerProps) {
  const [isOpen, setOpen] = useState(() => hasDraft(`answer ${path}`))
  if (isOpen)
    return <AnswerForm path={path} place={place} people={people} reload={reload} close={() => setOpen(false)} />
  return (
    <button type="button" class="button tight" onClick={() => setOpen(true)}>
      Reply
    </button>
  )
}

function AnswerForm({ path, place, people, reload, close }: AnswerProps & { close(): void }) {
  const draft = useDraft(`answer ${path}`)
  const act = useAct()
  const submit = async () => {
    if (draft.text.trim() === '') return
    await send('POST', path, { body: draft.text })
    draft.clear()
    close()
    reload()
  }
  return (
    <Form act={act} submit={submit}>
      <DraftNotice draft={draft} />
      <MarkdownField
        label="Reply"
        isBare
        isFocused
        rows={3}
        value={draft.text}
        change={draft.write}
        repository={place}
        people={people}
        submit={() => void act.run(submit)}
      />
      <div class="row">
        <Submit act={act}>Reply</Submit>
        <button
          type="button"
          class="button"
          onClick={() => {
            draft.clear()
            close()
          }}
        >
          Cancel
        </button>
      </div>
    </Form>
  )
}
