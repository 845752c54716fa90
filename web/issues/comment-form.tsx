/** Writing a comment, and closing or reopening with it. What is written stays until the server has it. */
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import { useSession } from '../app/session.ts'
import { useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import type { Draft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { Failed } from '../parts/state.tsx'

type Props = {
  readonly draft: Draft
  /** `owner/name`. */
  readonly repository: string
  readonly people: readonly string[]
  /** Of the issue, as the interface names it. */
  readonly path: string
  readonly isPull: boolean
  readonly isOpen: boolean
  readonly isMerged?: boolean
  readonly mayClose: boolean
  readonly mayComment: boolean
  readonly isArchived: boolean
  reload(): void
}

const closings = [
  ['completed', 'Close as completed', 'Done, or fixed.'],
  ['not_planned', 'Close as not planned', 'Won’t be done, can’t be reproduced, or out of date.'],
  ['duplicate', 'Close as duplicate', 'Another issue covers the same.'],
] as const

export function CommentForm(props: Props) {
  const {
    draft,
    repository,
    people,
    path,
    isPull,
    isOpen,
    isMerged = false,
    mayClose,
    mayComment,
    isArchived,
    reload,
  } = props
  const { account } = useSession()
  const act = useAct()
  const [isChoosing, setChoosing] = useState(false)
  if (!account)
    return (
      <p class="card">
        <a href={`/-/sign-in?to=${encodeURIComponent(location.pathname)}`}>Sign in</a> to join the conversation.
      </p>
    )
  if (!mayComment)
    return (
      <p class="card soft">
        {isArchived
          ? 'This repository is archived: it can be read, and nothing in it can be changed.'
          : 'This conversation is locked. Only people with write access to the repository can comment.'}
      </p>
    )

  const comment = async () => {
    if (draft.text.trim() === '') return
    await send('POST', `${path}/comments`, { body: draft.text })
    draft.clear()
  }
  const finish = (change: object | undefined, note = '') =>
    act.run(async () => {
      setChoosing(false)
      if (note) await send('POST', `${path}/comments`, { body: note })
      await comment()
      if (change) await send('PATCH', path, change)
      reload()
    })
  const hasText = draft.text.trim() !== ''
  return (
    <form
      class="comment-form"
      onSubmit={(event) => {
        event.preventDefault()
        void finish(undefined)
      }}
    >
      <DraftNotice draft={draft} />
      <MarkdownField
        label="Add a comment"
        value={draft.text}
        change={draft.write}
        repository={repository}
        people={people}
        submit={() => hasText && void finish(undefined)}
      />
      {act.error !== undefined && <Failed error={act.error} />}
      <div class="row end">
        {mayClose && isOpen && (
          <>
            <button
              type="button"
              class="button"
              disabled={act.isBusy}
              onClick={() => void finish({ state: 'closed', ...(!isPull && { state_reason: 'completed' }) })}
            >
              {hasText ? 'Close with comment' : isPull ? 'Close pull request' : 'Close issue'}
            </button>
            {!isPull && (
              <button
                type="button"
                class="button quiet tight"
                aria-expanded={isChoosing}
                aria-label="Close for another reason"
                onClick={() => setChoosing(!isChoosing)}
              >
                ▾
              </button>
            )}
          </>
        )}
        {mayClose && !isOpen && !isMerged && (
          <button type="button" class="button" disabled={act.isBusy} onClick={() => void finish({ state: 'open' })}>
            {isPull ? 'Reopen pull request' : 'Reopen issue'}
          </button>
        )}
        <button type="submit" class="button main" disabled={act.isBusy || !hasText}>
          {act.isBusy && <span class="spinner" aria-hidden="true" />}
          Comment
        </button>
      </div>
      {isChoosing && (
        <Closings
          choose={(reason, number) =>
            void finish(
              { state: 'closed', state_reason: reason },
              number === undefined ? '' : `Duplicate of #${number}`,
            )
          }
        />
      )}
    </form>
  )
}

function Closings({ choose }: { choose(reason: string, duplicateOf?: number): void }) {
  const [number, setNumber] = useState('')
  return (
    <ul class="plain-list closings card">
      {closings.map(([reason, name, hint]) => (
        <li key={reason} class="row">
          {reason === 'duplicate' && (
            <label class="row small">
              of #
              <input
                class="input"
                inputMode="numeric"
                size={6}
                value={number}
                onInput={(event) => setNumber(event.currentTarget.value.replace(/\D/g, ''))}
              />
            </label>
          )}
          <button
            type="button"
            class="button tight"
            onClick={() => choose(reason, reason === 'duplicate' && number ? Number(number) : undefined)}
          >
            {name}
          </button>
          <span class="small soft">{hint}</span>
        </li>
      ))}
    </ul>
  )
}
