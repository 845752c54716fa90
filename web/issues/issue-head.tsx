/** The head of an issue or a pull: its editable title and its state. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Issue } from '../api/issue-types.ts'
import { useTitle } from '../app/page.ts'
import { useAct } from '../parts/form.tsx'
import { Failed } from '../parts/state.tsx'
import { OvertakenNotice } from './comment-box.tsx'
import { StandingBadge } from './icons.tsx'
import { Overtaken, saveEdit } from './saving.ts'
import { TaskCount } from './task-count.tsx'

type Props = {
  readonly issue: Pick<Issue, 'title' | 'body' | 'number' | 'state' | 'draft' | 'pull_request' | 'locked'> & {
    readonly state_reason?: Issue['state_reason']
  }
  /** Where the title is changed. */
  readonly path: string
  readonly place: string
  readonly mayEdit: boolean
  readonly acts?: ComponentChildren
  /** Beside the state. */
  readonly children?: ComponentChildren
  reload(): void
}

export function IssueHead({ issue, path, place, mayEdit, acts, children, reload }: Props) {
  const [isEditing, setEditing] = useState(false)
  const { title, number } = issue
  useTitle(`${title} · ${place}#${number}`)
  return (
    <div class="issue-head">
      {isEditing ? (
        <TitleForm
          title={title}
          path={path}
          close={(isChanged) => {
            setEditing(false)
            if (isChanged) reload()
          }}
        />
      ) : (
        <div class="row issue-title">
          <h1>
            {title} <span class="issue-number">#{number}</span>
          </h1>
          <div class="row no-print">
            {mayEdit && (
              <button type="button" class="button tight" onClick={() => setEditing(true)}>
                Edit title
              </button>
            )}
            {acts}
          </div>
        </div>
      )}
      <div class="row issue-standing">
        <StandingBadge of={issue} />
        {issue.locked && <span class="badge">Locked</span>}
        <TaskCount text={issue.body} />
        {children}
      </div>
    </div>
  )
}

function TitleForm({ title, path, close }: { title: string; path: string; close(isChanged: boolean): void }) {
  const [base, setBase] = useState(title)
  const [text, setText] = useState(title)
  const act = useAct()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const save = () =>
    act.run(async () => {
      await saveEdit({ path, field: 'title', base, text })
      close(true)
    })
  return (
    <form
      class="issue-title"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div class="row">
        <input
          class="input grow"
          aria-label="Title"
          maxLength={256}
          value={text}
          ref={field}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button main" disabled={act.isBusy || text.trim() === ''}>
          Save
        </button>
        <button type="button" class="button" onClick={() => close(false)}>
          Cancel
        </button>
      </div>
      {act.error instanceof Overtaken ? (
        <OvertakenNotice
          current={act.error.current}
          keep={() => {
            setBase((act.error as Overtaken).current)
            act.clear()
          }}
          take={() => close(true)}
        />
      ) : (
        act.error !== undefined && <Failed error={act.error} />
      )}
    </form>
  )
}
