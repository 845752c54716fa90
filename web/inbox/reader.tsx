/** The open thread beside the list: its subject, its comments, and a reply form. */

import { useEffect, useRef, useState } from 'preact/hooks'
import { plural } from '../../src/lib/text/plural.ts'
import { isMissing } from '../api/fault.ts'
import { read, request, send } from '../api/forge.ts'
import type { User } from '../api/forge-types.ts'
import type { Thread } from '../api/notifications.ts'
import { useLoad } from '../app/load.ts'
import { PersonLink } from '../parts/avatar.tsx'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { MarkdownField } from '../parts/markdown/markdown-field.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import type { Acts } from './acts.ts'
import { describeKind, isVerdict, reasonWords } from './reasons.ts'

type Said = { readonly id: number; readonly user: User | null; readonly body_html: string; readonly created_at: string }
type Discussion = Said & {
  readonly title: string
  readonly number: number
  readonly state: string
  readonly comments: number
  readonly locked: boolean
}

const newest = 30

type Props = { readonly id: string; readonly known: Thread | undefined; readonly acts: Acts; close(): void }

export function Reader({ id, known, acts, close }: Props) {
  const loaded = useLoad(`inbox thread ${id}`, () =>
    known ? Promise.resolve(known) : read<Thread>(`/notifications/threads/${id}`, { html_url: true }),
  )
  const place = useRef<HTMLElement>(null)
  return (
    <article class="inbox-reader card" aria-label="Thread" ref={place}>
      <button type="button" class="button tight quiet reader-close" onClick={close}>
        Close
      </button>
      {loaded.value === undefined && isMissing(loaded.error) ? (
        <p>This thread does not exist, or you no longer have access to it.</p>
      ) : (
        <Ready of={loaded}>{(thread) => <Opened thread={thread} acts={acts} />}</Ready>
      )}
    </article>
  )
}

/** The address of its page, which is not in the thread's own address. */
const pageOf = ({ html_url, repository }: Thread): string =>
  html_url ? new URL(html_url).pathname : `/${repository.full_name}`

function Opened({ thread, acts }: { thread: Thread; acts: Acts }) {
  const { subject, repository, reason } = thread
  const path = new URL(subject.url).pathname.replace(/^\/api\/v3/, '')
  const isDiscussion = subject.type === 'Issue' || subject.type === 'PullRequest'
  const page = isDiscussion
    ? `/${repository.full_name}/${subject.type === 'Issue' ? 'issues' : 'pull'}/${path.split('/').at(-1)}`
    : pageOf(thread)
  const isOfJudge = thread.html_url !== undefined && isVerdict(thread)
  return (
    <>
      <header>
        <p class="small soft">
          <a href={`/${repository.full_name}`}>{repository.full_name}</a> ·{' '}
          {describeKind({ ...thread, html_url: thread.html_url ?? location.href })}
        </p>
        <h2>
          <a href={page}>{subject.title}</a>
        </h2>
        <p class="small soft">
          {reasonWords[reason] ?? reason} · <When at={Date.parse(thread.updated_at)} />
        </p>
        <div class="row reader-acts">
          <a class="button tight main" href={page}>
            {isOfJudge ? 'Open the submission' : 'Open the page'}
          </a>
          <ActButtons id={thread.id} acts={acts} />
        </div>
      </header>
      {isDiscussion && <Said path={path} repository={repository.full_name} />}
    </>
  )
}

const buttons = [
  [{ state: 'done' }, 'Done'],
  [{ state: 'unread' }, 'Unread'],
  [{ subscription: 'subscribed' }, 'Follow'],
  [{ subscription: 'muted' }, 'Mute'],
  [{ subscription: 'ignored' }, 'Ignore'],
] as const

const ActButtons = ({ id, acts }: { id: string; acts: Acts }) => (
  <>
    {buttons.map(([change, text]) => (
      <button key={text} type="button" class="button tight" onClick={() => void acts.change([id], change)}>
        {text}
      </button>
    ))}
  </>
)

const html = 'application/vnd.github.html+json'

async function readAs<T>(path: string, query: Record<string, number> = {}): Promise<T> {
  return (await (await request(path, { accept: html, query })).json()) as T
}

/** A discussion and its newest comments, in two requests, or one if there are none. */
async function readSaid(path: string): Promise<{ discussion: Discussion; comments: readonly Said[] }> {
  const discussion = await readAs<Discussion>(path.replace('/pulls/', '/issues/'))
  const page = Math.max(1, Math.ceil(discussion.comments / newest))
  const comments =
    discussion.comments === 0
      ? []
      : await readAs<Said[]>(`${path.replace('/pulls/', '/issues/')}/comments`, { per_page: newest, page })
  return { discussion, comments }
}

function Said({ path, repository }: { path: string; repository: string }) {
  const loaded = useLoad(`said ${path}`, () => readSaid(path))
  return (
    <Ready of={loaded}>
      {({ discussion, comments }) => (
        <>
          <Words said={discussion} />
          {discussion.comments > comments.length && (
            <p class="small soft">
              See {plural(discussion.comments - comments.length, 'earlier comment')} on its page.
            </p>
          )}
          {comments.map((comment) => (
            <Words said={comment} key={comment.id} />
          ))}
          {!discussion.locked && <Answer path={path} repository={repository} onSaid={loaded.reload} />}
        </>
      )}
    </Ready>
  )
}

const Words = ({ said: { user, body_html, created_at } }: { said: Said }) => (
  <section class="said">
    <p class="small soft row">
      {user ? <PersonLink user={user} /> : <span>Somebody</span>} <When at={Date.parse(created_at)} />
    </p>
    {body_html ? <Rendered html={body_html} /> : <p class="soft">No description.</p>}
  </section>
)

function Answer({ path, repository, onSaid }: { path: string; repository: string; onSaid(): void }) {
  const act = useAct()
  const [text, setText] = useState('')
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => setText(''), [path])
  const submit = async () => {
    await send('POST', `${path.replace('/pulls/', '/issues/')}/comments`, { body: text })
    setText('')
    onSaid()
  }
  return (
    <div ref={form}>
      <Form act={act} submit={submit}>
        <MarkdownField
          label="Comment"
          value={text}
          repository={repository}
          rows={3}
          change={setText}
          submit={() => void act.run(submit)}
        />
        <div class="row end">
          <Submit act={act} busy="Sending …">
            Comment
          </Submit>
        </div>
      </Form>
    </div>
  )
}
