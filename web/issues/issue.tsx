/** An issue: its text, everything that happened to it, and what one says to it. */
import { useEffect, useState } from 'preact/hooks'
import { isMissing } from '../api/fault.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Issue, TimelineItem } from '../api/issue-types.ts'
import { watchIssue } from '../api/live.ts'
import { go } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { useDraft } from '../parts/markdown/drafts.ts'
import { NotFound } from '../parts/not-found.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { CommentBox } from './comment-box.tsx'
import { CommentForm } from './comment-form.tsx'
import { Development } from './development.tsx'
import { IssueHead } from './issue-head.tsx'
import { pathOf } from './issue-rows.tsx'
import { IssueSide, rightsOn } from './issue-side.tsx'
import { useReadThread } from './reading.ts'
import { SideActs } from './side-acts.tsx'
import { type Place, placeOfThread, type Thread, threadPath, useThread } from './thread.ts'
import { Timeline } from './timeline.tsx'
import { useLive } from './use-live.ts'

export function IssueView({ params }: ViewProps) {
  const place = placeOfThread(params)
  const { loaded, showMore } = useThread(place)
  const issue = loaded.value?.issue
  const [asked] = useState(location.pathname)
  const path = issue && pathOf(issue)
  useEffect(() => {
    // Whoever has followed a link while this was read stays on their way.
    if (location.pathname !== asked) return
    if (path && path.toLowerCase() !== asked.toLowerCase()) go(path, { replaces: true })
  }, [path, asked])
  useLive((listener) => (issue ? watchIssue(issue.id, listener) : () => {}), loaded.reload, 300, issue?.id)
  return (
    <RepositoryPage params={params} tab="issues">
      {(repository) =>
        loaded.value === undefined && isMissing(loaded.error) ? (
          <NotFound title="There is no such issue">It may have been deleted.</NotFound>
        ) : (
          <Ready of={loaded}>
            {(thread) => (
              <IssueBody
                repository={repository}
                thread={thread}
                place={place}
                reload={loaded.reload}
                showMore={showMore}
              />
            )}
          </Ready>
        )
      }
    </RepositoryPage>
  )
}

type BodyProps = {
  readonly repository: Repository
  readonly thread: Thread
  readonly place: Place
  reload(): void
  showMore(): void
}

function IssueBody({ repository, thread, place, reload, showMore }: BodyProps) {
  const { account } = useSession()
  const { issue } = thread
  const name = repository.full_name
  const path = threadPath(place)
  useReadThread(repository, issue)
  const { mayTriage, mayWrite } = rightsOn(repository)
  const isAuthor = account !== undefined && issue.user?.login === account.AccountName
  const draft = useDraft(`comment ${path}`)
  const people = participants(issue, [...thread.first, ...thread.last])
  const logins = people.map(({ login }) => login)
  const quote = quoteInto(draft)
  const shared = { place: name, people: logins, mayWrite, reload, ...(account && { quote }) }
  return (
    <>
      <IssueHead issue={issue} path={path} place={name} mayEdit={mayWrite || isAuthor} reload={reload}>
        <span class="soft small">
          <a href={`/${issue.user?.login ?? 'ghost'}`}>{issue.user?.login ?? 'ghost'}</a> opened this{' '}
          <When at={Date.parse(issue.created_at)} />
        </span>
      </IssueHead>
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
          <CommentForm
            draft={draft}
            repository={name}
            people={logins}
            path={path}
            isPull={false}
            isOpen={issue.state === 'open'}
            mayClose={(mayTriage || isAuthor) && !repository.archived}
            mayComment={(!issue.locked || mayWrite) && !repository.archived}
            isArchived={repository.archived}
            reload={reload}
          />
        </div>
        <IssueSide issue={issue} repository={repository} people={people} reload={reload}>
          {account && <Development repository={repository} number={issue.number} />}
          <SideActs issue={issue} repository={repository} isPinned={isPinned(thread)} reload={reload} />
        </IssueSide>
      </div>
    </>
  )
}

export const Hidden = ({ count, showMore }: { count: number; showMore(): void }) => (
  <p class="hidden-items">
    <button type="button" class="button" onClick={showMore}>
      Show more ({count} hidden)
    </button>
  </p>
)

/** The interface tells it of events alone: the last of them counts. */
const isPinned = ({ first, last }: Thread): boolean =>
  [...first, ...last].findLast(({ event }) => event === 'pinned' || event === 'unpinned')?.event === 'pinned'

/** Who has written or done something, in the order of their first word. */
export function participants(issue: Pick<Issue, 'user' | 'assignees'>, items: readonly TimelineItem[]) {
  const found = new Map<string, { readonly id: number; readonly login: string }>()
  const add = (user: { readonly id: number; readonly login: string } | null | undefined) => {
    if (user && !found.has(user.login)) found.set(user.login, user)
  }
  add(issue.user)
  for (const item of items) {
    if (item.event === 'commented' || item.event === 'reviewed') add((item as { user?: Issue['user'] }).user)
    else if ('actor' in item && item.event !== 'cross-referenced') add(item.actor)
  }
  for (const user of issue.assignees) add(user)
  return [...found.values()]
}

/** Puts the text, marked as somebody else's, at the end of what is being written. */
export const quoteInto =
  ({ text, write }: { readonly text: string; write(text: string): void }) =>
  (quoted: string): void => {
    const lines = quoted.replaceAll('\r\n', '\n').split('\n')
    const marked = lines.map((line) => `> ${line}`).join('\n')
    write(`${text === '' ? '' : `${text.trimEnd()}\n\n`}${marked}\n\n`)
    requestAnimationFrame(() => {
      const field = document.querySelector<HTMLTextAreaElement>('.comment-form textarea')
      field?.focus()
      field?.setSelectionRange(field.value.length, field.value.length)
    })
  }
