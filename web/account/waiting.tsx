/** The home of a signed-in person: waiting work, recent repositories and data sets. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { watchInbox } from '../api/live.ts'
import type { Account } from '../api/operations.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { StateBadge } from '../contests/contest-clock.tsx'
import { contestPath } from '../contests/shown.ts'
import { Countdown } from '../parts/due.tsx'
import { formatTime } from '../parts/figures.ts'
import { Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { Invitation } from '../teach/classes/invitation.tsx'
import { NewsOfSheets } from '../teach/sheets/sheet-news.tsx'
import { type JudgeNews, readForge, readJudge, readRecentDatasets, readUnread, type Work } from './home-news.ts'
import { Invitations } from './invitations.tsx'

const hasNews = ({ contests, invitations, news }: JudgeNews): boolean =>
  contests.length + invitations.length + news.length > 0

export function Waiting({ account }: { account: Account }) {
  const judge = useLoad(`home judge ${account.ID}`, () => readJudge(account))
  const forge = useLoad(`home forge ${account.ID}`, () => readForge(account))
  const unread = useLoad(`home inbox ${account.ID}`, readUnread)
  const datasets = useLoad(`home data sets ${account.ID}`, readRecentDatasets)
  const { reload } = unread
  useEffect(() => watchInbox(reload), [reload])
  const due = (
    <Part
      title="Due sheets"
      href="/-/classes"
      more="Classes"
      of={judge}
      list={({ sheets }) => sheets}
      empty="Nothing is due."
    >
      {({ ID, Title, DueTime, LateUntil, className, progress }) => (
        <li key={ID}>
          <a href={`/-/sheets/${ID}`}>{Title}</a>
          <small class="soft whole">
            {className} · due {formatTime(DueTime)}
            {progress && ` · ${progress}`} <Countdown due={DueTime} lateUntil={LateUntil} />
          </small>
        </li>
      )}
    </Part>
  )
  const isStudent = account.Role === 'contestant'
  return (
    <>
      {judge.value && hasNews(judge.value) && (
        <div class="stack home-news">
          {judge.value.contests.map((contest) => (
            <p key={contest.ID} class="notice">
              <span>
                {contest.Role === 'team' ? 'Your contest' : 'You help to run'}:{' '}
                <a href={contestPath(contest.ID)}>{contest.Name}</a>
              </span>
              <StateBadge state={contest.State} />
            </p>
          ))}
          {judge.value.invitations.map((one) => (
            <Invitation key={one.ID} one={one} answered={judge.reload} />
          ))}
          <NewsOfSheets list={judge.value.news} />
        </div>
      )}
      <Invitations accountId={account.ID} accepted={forge.reload} />
      <div class="home">
        {isStudent && due}
        <Part
          title="Inbox"
          href="/-/inbox"
          more="All threads"
          of={unread}
          list={(threads) => threads}
          empty="No unread threads."
        >
          {(thread) => (
            <li key={thread.id}>
              <a href={`/-/inbox?thread=${thread.id}`}>{thread.subject.title}</a>
              <small class="soft">
                {thread.repository.full_name} · <When at={Date.parse(thread.updated_at)} />
              </small>
            </li>
          )}
        </Part>
        {!isStudent && due}
        <Part
          title="Review requests"
          href="/-/pulls"
          more="Pull requests"
          of={forge}
          list={({ reviews }) => reviews}
          empty="No pull requests are waiting for your review."
        >
          {(one) => <WorkItem key={`${one.repository.nameWithOwner} ${one.number}`} work={one} kind="pull" />}
        </Part>
        <Part
          title="Assigned to you"
          href="/-/issues"
          more="Issues"
          of={forge}
          list={({ assigned }) => assigned}
          empty="Nothing is assigned to you."
        >
          {(one) => (
            <WorkItem
              key={`${one.repository.nameWithOwner} ${one.number}`}
              work={one}
              kind={one.__typename === 'Issue' ? 'issues' : 'pull'}
            />
          )}
        </Part>
        <Part
          title="Being judged"
          href="/-/judge/submissions?by=me"
          more="My submissions"
          of={judge}
          list={({ judgings }) => judgings}
          empty="No submission is being judged."
        >
          {({ ID, Problem, CreatedTime }) => (
            <li key={ID}>
              <a href={`/-/judge/submissions/${ID}`}>{Problem.DisplayName}</a>
              <small class="soft">
                Submission {ID} · <When at={CreatedTime} />
              </small>
            </li>
          )}
        </Part>
        <Part
          title="Recent repositories"
          href="/-/repositories"
          more="Repositories"
          of={forge}
          list={({ repositories }) => repositories}
          empty="No repositories yet."
        >
          {({ nameWithOwner, pushedAt, isPrivate }) => (
            <li key={nameWithOwner}>
              <a href={`/${nameWithOwner}`}>{nameWithOwner}</a>
              <small class="soft">
                {isPrivate && 'private · '}
                {pushedAt ? <When at={Date.parse(pushedAt)} /> : 'nothing pushed yet'}
              </small>
            </li>
          )}
        </Part>
        <Part
          title="Recent data sets"
          href="/-/datasets"
          more="Data sets"
          of={datasets}
          list={(all) => all}
          empty="No data sets yet."
        >
          {({ id, name, title, modifiedAt }) => (
            <li key={id}>
              <a href={`/-/datasets/${id}`}>{title || name || id}</a>
              <small class="soft">
                <When at={Date.parse(modifiedAt)} />
              </small>
            </li>
          )}
        </Part>
      </div>
    </>
  )
}

const WorkItem = ({ work: { number, title, repository }, kind }: { work: Work; kind: 'pull' | 'issues' }) => (
  <li>
    <a href={`/${repository.nameWithOwner}/${kind}/${number}`}>{title}</a>
    <small class="soft">
      {repository.nameWithOwner} #{number}
    </small>
  </li>
)

type PartProps<T, I> = {
  readonly title: string
  readonly href: string
  readonly more: string
  readonly of: Loaded<T>
  readonly empty: string
  list(value: T): readonly I[]
  children(item: I): ComponentChildren
}

const Part = <T, I>({ title, href, more, of, empty, list, children }: PartProps<T, I>) => (
  <section class="card home-part" aria-label={title}>
    <div class="row spread flat">
      <h2>{title}</h2>
      <a class="small" href={href}>
        {more}
      </a>
    </div>
    <Ready of={of}>
      {(value) => {
        const items = list(value)
        return items.length === 0 ? <p class="soft">{empty}</p> : <ul class="plain-list">{items.map(children)}</ul>
      }}
    </Ready>
  </section>
)
