/** A list of issues and pulls: state, title, labels and author. */
import type { Issue } from '../api/issue-types.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Icon } from '../parts/icon.tsx'
import { When } from '../parts/when.tsx'
import { StandingIcon } from './icons.tsx'
import { LabelChip } from './label-chip.tsx'
import type { Selection } from './selection.ts'
import { TaskCount } from './task-count.tsx'

/** The page of an issue or a pull; what the interface answers is absolute. */
export const pathOf = ({ html_url: url }: { readonly html_url: string }): string => new URL(url).pathname

/** `owner/name` of what an issue belongs to. */
export const placeOf = ({ repository_url: url }: { readonly repository_url: string }): string =>
  url.split('/').slice(-2).map(decodeURIComponent).join('/')

type Props = {
  readonly list: readonly Issue[]
  readonly hasPlaces?: boolean
  /** Where rows can be selected. */
  readonly selection?: Selection | undefined
}

export const IssueRows = ({ list, hasPlaces = false, selection }: Props) => (
  <ul class="plain-list">
    {list.map((issue) => (
      <li key={issue.id} class="list-row issue-row" data-number={selection && issue.number}>
        {selection && (
          <input
            type="checkbox"
            aria-label={`Select #${issue.number}`}
            checked={selection.numbers.has(issue.number)}
            onChange={() => selection.toggle(issue.number)}
          />
        )}
        <StandingIcon of={issue} />
        <div class="issue-row-text">
          <p class="issue-row-title">
            {hasPlaces && <span class="soft">{placeOf(issue)} </span>}
            <a class="strong" href={pathOf(issue)}>
              {issue.title}
            </a>{' '}
            {issue.labels.map((label) => (
              <LabelChip
                key={label.id}
                label={label}
                href={`/${placeOf(issue)}/issues?${new URLSearchParams({ q: `is:open label:"${label.name}"` })}`}
              />
            ))}
          </p>
          <p class="small soft row">
            <span>
              #{issue.number} {openedWords(issue)} by{' '}
              <a href={`/${issue.user?.login ?? 'ghost'}`}>{issue.user?.login ?? 'ghost'}</a>
            </span>
            <TaskCount text={issue.body} />
            {issue.draft && <span class="badge">Draft</span>}
            {issue.milestone && (
              <a href={`/${placeOf(issue)}/milestone/${issue.milestone.number}`}>{issue.milestone.title}</a>
            )}
          </p>
        </div>
        <div class="row issue-row-side wide-only">
          {issue.assignees.map((person) => (
            <span key={person.id} title={`Assigned to ${person.login}`}>
              <Avatar id={person.id} />
              <span class="hidden-text">Assigned to {person.login}</span>
            </span>
          ))}
          {issue.comments > 0 && (
            <span class="small soft nowrap">
              <Icon name="comment" label={issue.comments === 1 ? 'Comment' : 'Comments'} /> {issue.comments}
            </span>
          )}
        </div>
      </li>
    ))}
  </ul>
)

function openedWords({ state, closed_at: closedAt, created_at: createdAt, pull_request: pull }: Issue) {
  if (pull?.merged_at)
    return (
      <>
        merged <When at={Date.parse(pull.merged_at)} />
      </>
    )
  if (state === 'closed' && closedAt)
    return (
      <>
        closed <When at={Date.parse(closedAt)} />, opened
      </>
    )
  return (
    <>
      opened <When at={Date.parse(createdAt)} />
    </>
  )
}
