/** Everything that happened to an issue or a pull, in order: comments, events, commits, and what reviews say. */
import type { ComponentChildren } from 'preact'
import type { Comment, IssueEvent, Review, TimelineItem } from '../api/issue-types.ts'
import { Avatar } from '../parts/avatar.tsx'
import { When } from '../parts/when.tsx'
import { CommentBox } from './comment-box.tsx'
import { eventWords } from './event-words.tsx'
import { StandingIcon } from './icons.tsx'
import { pathOf, placeOf } from './issue-rows.tsx'

export type TimelineProps = {
  readonly items: readonly TimelineItem[]
  /** `owner/name`. */
  readonly place: string
  readonly people: readonly string[]
  readonly mayWrite: boolean
  quote?(text: string): void
  reload(): void
  showReview?(review: Review): ComponentChildren
}

const keyOf = (item: TimelineItem, at: number): string =>
  'sha' in item ? `commit ${item.sha}` : 'id' in item ? `${item.event} ${item.id}` : `at ${at}`

export const Timeline = (props: TimelineProps) => (
  <ol class="timeline plain-list">
    {props.items.map((item, at) => {
      const shown = showItem(item, props)
      return shown && <li key={keyOf(item, at)}>{shown}</li>
    })}
  </ol>
)

function showItem(item: TimelineItem, props: TimelineProps): ComponentChildren {
  const { place, people, mayWrite, quote, reload } = props
  if (item.event === 'commented') {
    const comment = item as Comment
    return (
      <CommentBox
        of={comment}
        path={new URL(comment.url).pathname}
        repository={place}
        people={people}
        mayWrite={mayWrite}
        mayDelete
        {...(quote && { quote })}
        reload={reload}
      />
    )
  }
  if (item.event === 'reviewed') return props.showReview?.(item as Review)
  if (item.event === 'committed' && 'sha' in item) return <Committed {...item} place={place} />
  if (item.event === 'cross-referenced' && 'source' in item) return <Referred {...item} />
  const words = eventWords[item.event]?.(item as IssueEvent, place)
  return words && <Happening event={item as IssueEvent}>{words}</Happening>
}

function Happening({ event, children }: { event: IssueEvent; children: ComponentChildren }) {
  const { actor, created_at: at, id } = event
  return (
    <p class="happening" id={`event-${id}`}>
      {actor && <Avatar id={actor.id} />}{' '}
      <span>
        <a class="strong" href={`/${actor?.login ?? 'ghost'}`}>
          {actor?.login ?? 'ghost'}
        </a>{' '}
        {children} <When at={Date.parse(at)} />
      </span>
    </p>
  )
}

type CommittedProps = { readonly sha: string; readonly message: string; readonly place: string }

const Committed = ({ sha, message, place }: CommittedProps) => (
  <p class="happening committed">
    <span class="commit-dot" aria-hidden="true" />
    <a class="grow" href={`/${place}/commit/${sha}`}>
      {message.split('\n', 1)[0] || sha.slice(0, 7)}
    </a>
    <a class="soft" href={`/${place}/commit/${sha}`}>
      <code>{sha.slice(0, 7)}</code>
    </a>
  </p>
)

type ReferredProps = Extract<TimelineItem, { readonly event: 'cross-referenced' }>

function Referred({ actor, created_at: at, source }: ReferredProps) {
  const { issue } = source
  return (
    <div class="happening">
      {actor && <Avatar id={actor.id} />}
      <span class="grow">
        <a class="strong" href={`/${actor?.login ?? 'ghost'}`}>
          {actor?.login ?? 'ghost'}
        </a>{' '}
        mentioned this <When at={Date.parse(at)} />
        <span class="referred">
          <StandingIcon of={issue} /> <a href={pathOf(issue)}>{issue.title}</a>{' '}
          <span class="soft">
            {placeOf(issue)}#{issue.number}
          </span>
        </span>
      </span>
    </div>
  )
}
