/** One’s own issues and pulls in all repositories: created, assigned, mentioned, review requested. */
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSignedIn, useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { SearchForm, StateLinks } from './issue-list.tsx'
import { IssueRows } from './issue-rows.tsx'
import { findEverywhere, partsOf } from './search.ts'

type Kind = 'issue' | 'pr'

const names = { issue: 'Issues', pr: 'Pull requests' } as const
const size = 25

const choices = [
  ['Created', 'author:@me'],
  ['Assigned', 'assignee:@me'],
  ['Mentioned', 'mentions:@me'],
  ['Review requested', 'review-requested:@me'],
] as const

const OwnView = (kind: Kind) => () => {
  useTitle(names[kind])
  return useSignedIn() ? <List kind={kind} /> : null
}

export const OwnIssuesView = OwnView('issue')
export const OwnPullsView = OwnView('pr')

function List({ kind }: { kind: Kind }) {
  const { account } = useSession()
  const { path, query } = usePlace()
  const { page } = usePage(size)
  const usual = `is:${kind} is:open author:@me`
  const text = query.get('q') ?? usual
  const loaded = useLoad(`found own ${account?.ID} ${text} ${page}`, () => findEverywhere(text, page, size))
  const show = (next: string) => setQuery({ q: next === usual ? undefined : next, page: undefined })
  const parts = partsOf(text)
  return (
    <>
      <h1>{names[kind]}</h1>
      <Tabs
        label="Your work"
        tabs={[
          ['/-/issues', names.issue, kind === 'issue'],
          ['/-/pulls', names.pr, kind === 'pr'],
        ]}
      />
      <div class="row list-tools">
        <SearchForm text={text} show={(next) => show(next || usual)} />
      </div>
      <div class="card flush">
        <Ready of={loaded}>
          {(found) => (
            <>
              <div class="list-head">
                <StateLinks text={text} found={found} />
                <nav class="row state-links" aria-label="Your part">
                  {choices
                    .filter(([, part]) => kind === 'pr' || part !== 'review-requested:@me')
                    .map(([name, part]) => (
                      <a
                        key={part}
                        href={`${path}?${new URLSearchParams({ q: withPart(parts, part) })}`}
                        {...(parts.includes(part) && { 'aria-current': 'true' as const })}
                      >
                        {name}
                      </a>
                    ))}
                </nav>
              </div>
              {found.items.length === 0 ? (
                <Empty title={kind === 'pr' ? 'No pull requests match.' : 'No issues match.'} />
              ) : (
                <IssueRows list={found.items} hasPlaces />
              )}
            </>
          )}
        </Ready>
      </div>
      {loaded.value && (
        <Pager total={Math.min(loaded.value.total, 1_000)} size={size} what={names[kind].toLowerCase()} />
      )}
    </>
  )
}

/** The same search with another part of one's own. */
const withPart = (parts: readonly string[], wanted: string): string =>
  [...parts.filter((part) => !choices.some(([, own]) => own === part)), wanted].join(' ')
