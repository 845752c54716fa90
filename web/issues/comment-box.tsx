/** One text of a conversation: who wrote it and when, what it says, reactions, and what its author may do with it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { send } from '../api/forge.ts'
import type { User } from '../api/forge-types.ts'
import type { Reactions } from '../api/issue-types.ts'
import { useSession } from '../app/session.ts'
import { ask } from '../parts/ask.tsx'
import { PersonLink } from '../parts/avatar.tsx'
import { useAct } from '../parts/form.tsx'
import { DraftNotice } from '../parts/markdown/draft-notice.tsx'
import { hasDraft, useDraft } from '../parts/markdown/drafts.ts'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { Failed, FailedAct } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { ReactionBar } from './reactions.tsx'
import { Overtaken, saveEdit } from './saving.ts'
import { useTasks } from './use-tasks.ts'

export type Spoken = {
  readonly user: User | null
  readonly body: string | null
  readonly body_html?: string
  readonly created_at: string
  readonly updated_at?: string
  readonly author_association: string
  readonly html_url: string
  readonly reactions?: Reactions
}

type Props = {
  readonly of: Spoken
  /** The interface's path to change and delete it. */
  readonly path: string
  readonly repository: string
  readonly people: readonly string[]
  readonly mayWrite: boolean
  readonly mayDelete?: boolean
  /** The words between the name and the time. */
  readonly verb?: string
  readonly children?: ComponentChildren
  /** The placeholder for an empty text. */
  readonly whenEmpty?: string
  quote?(text: string): void
  reload(): void
}

const associations: Readonly<Record<string, string>> = {
  OWNER: 'Owner',
  MEMBER: 'Member',
  COLLABORATOR: 'Collaborator',
  CONTRIBUTOR: 'Contributor',
}

export function CommentBox(props: Props) {
  const { of, path, repository, people, mayWrite, mayDelete = false, verb = 'commented', children, reload } = props
  const { account } = useSession()
  const isOwn = account !== undefined && of.user?.login === account.AccountName
  const mayEdit = account !== undefined && (isOwn || mayWrite)
  const [isEditing, setEditing] = useState(mayEdit && hasDraft(`edit ${path}`))
  const act = useAct()
  const tasks = useTasks({ path, body: of.body ?? '', reload })
  const anchor = new URL(of.html_url).hash.slice(1)
  const association = associations[of.author_association]
  const remove = async () => {
    const question = { title: 'Delete this comment?', text: 'This can’t be undone.', action: 'Delete' }
    if (!(await ask(question))) return
    await act.run(async () => {
      await send('DELETE', path)
      reload()
    })
  }
  return (
    <article class="card flush comment" id={anchor || undefined} aria-label={`Comment by ${of.user?.login ?? 'ghost'}`}>
      <header class="comment-head">
        <div class="row">
          {of.user ? <PersonLink user={of.user} /> : <b>ghost</b>}
          <span class="soft small">
            {verb}{' '}
            <a class="soft" href={anchor ? `#${anchor}` : new URL(of.html_url).pathname}>
              <When at={Date.parse(of.created_at)} />
            </a>
          </span>
          {of.updated_at && of.updated_at !== of.created_at && anchor && <span class="soft small">edited</span>}
          {association && <span class="badge">{association}</span>}
        </div>
        {!isEditing && account && (
          <div class="row comment-acts">
            {props.quote && of.body && (
              <button type="button" class="button quiet tight" onClick={() => props.quote?.(of.body ?? '')}>
                Quote
              </button>
            )}
            {mayEdit && (
              <button type="button" class="button quiet tight" onClick={() => setEditing(true)}>
                Edit
              </button>
            )}
            {mayEdit && mayDelete && (
              <button type="button" class="button quiet tight" disabled={act.isBusy} onClick={() => void remove()}>
                Delete
              </button>
            )}
          </div>
        )}
      </header>
      <div class="comment-body">
        <FailedAct act={act} />
        <FailedAct act={tasks.act} />
        {isEditing ? (
          <EditForm
            path={path}
            body={of.body ?? ''}
            repository={repository}
            people={people}
            close={(isChanged) => {
              setEditing(false)
              if (isChanged) reload()
            }}
          />
        ) : of.body ? (
          <Rendered html={of.body_html ?? ''} whenDrawn={mayEdit ? tasks.whenDrawn : undefined} />
        ) : (
          <p class="soft">{props.whenEmpty ?? 'No description provided.'}</p>
        )}
        {!isEditing && of.reactions && <ReactionBar reactions={of.reactions} reload={reload} />}
        {children}
      </div>
    </article>
  )
}

type EditProps = {
  readonly path: string
  readonly body: string
  readonly repository: string
  readonly people: readonly string[]
  close(isChanged: boolean): void
}

function EditForm({ path, body, repository, people, close }: EditProps) {
  const draft = useDraft(`edit ${path}`, body)
  const act = useAct()
  const [isForced, setForced] = useState<string>()
  const save = () =>
    act.run(async () => {
      await saveEdit({ path, field: 'body', base: isForced ?? draft.base, text: draft.text })
      draft.clear()
      close(true)
    })
  const cancel = async () => {
    const question = { title: 'Discard your changes?', text: 'Your changes will not be saved.', action: 'Discard' }
    if (draft.text !== draft.base && !(await ask(question))) return
    draft.clear()
    close(false)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <DraftNotice draft={draft} />
      <MarkdownField
        label="Edit the text"
        isBare
        isFocused
        value={draft.text}
        change={draft.write}
        repository={repository}
        people={people}
        submit={() => void save()}
      />
      {act.error instanceof Overtaken ? (
        <OvertakenNotice
          current={act.error.current}
          keep={() => {
            setForced((act.error as Overtaken).current)
            act.clear()
          }}
          take={() => {
            draft.clear()
            close(true)
          }}
        />
      ) : (
        act.error !== undefined && <Failed error={act.error} />
      )}
      <div class="row">
        <button type="submit" class="button main" disabled={act.isBusy || draft.text.trim() === ''}>
          Save
        </button>
        <button type="button" class="button" onClick={() => void cancel()}>
          Cancel
        </button>
      </div>
    </form>
  )
}

type NoticeProps = { readonly current: string; keep(): void; take(): void }

/** Both texts are shown before one of them is discarded. */
export const OvertakenNotice = ({ current, keep, take }: NoticeProps) => (
  <div class="notice bad" role="alert">
    <div class="grow">
      <p>Somebody else changed this text while you were writing. Your changes are not saved yet. The text is now:</p>
      <pre class="overtaken" tabIndex={0}>
        {current}
      </pre>
    </div>
    <span class="row">
      <button type="button" class="button tight" onClick={keep}>
        Replace it with mine
      </button>
      <button type="button" class="button tight" onClick={take}>
        Discard mine
      </button>
    </span>
  </div>
)
