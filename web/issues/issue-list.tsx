/** The issues or the pulls of a repository: found by a search, narrowed by filters, a page at a time. */
import type { Repository } from '../api/forge-types.ts'
import { watchRepository } from '../api/live.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useTitle } from '../app/page.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { formatCount } from '../parts/figures.ts'
import { Pager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { BulkActs } from './bulk-acts.tsx'
import { IssueFilters } from './issue-filters.tsx'
import { IssueRows } from './issue-rows.tsx'
import { rightsOn } from './issue-side.tsx'
import { PinnedIssues } from './pinned-issues.tsx'
import { type Found, findIssues, stateOf, withState } from './search.ts'
import { useSelection } from './selection.ts'
import { useLive } from './use-live.ts'

type Kind = 'issue' | 'pr'

const usual = { issue: 'is:issue is:open', pr: 'is:pr is:open' } as const
const names = { issue: 'Issues', pr: 'Pull requests' } as const
const size = 25
/** How often a list is read anew while others change things in it. */
const calmMs = 5_000

const ListView =
  (kind: Kind) =>
  ({ params }: ViewProps) => {
    useTitle(`${names[kind]} · ${params.owner}/${params.repo}`)
    return (
      <RepositoryPage params={params} tab={kind === 'pr' ? 'pulls' : 'issues'}>
        {(repository) => <List repository={repository} kind={kind} />}
      </RepositoryPage>
    )
  }

export const IssuesView = ListView('issue')
export const PullsView = ListView('pr')

function List({ repository, kind }: { repository: Repository; kind: Kind }) {
  const { account } = useSession()
  const { query } = usePlace()
  const { page } = usePage(size)
  const text = query.get('q') ?? usual[kind]
  const place = repository.full_name
  const loaded = useLoad(`found ${place} ${text} ${page}`, () => findIssues(place, text, page, size))
  useLive((listener) => watchRepository(repository.id, listener), loaded.reload, calmMs)
  const { mayTriage } = rightsOn(repository)
  const selection = useSelection(mayTriage, loaded.value?.items.map(({ number }) => number) ?? [])
  const show = (next: string) => setQuery({ q: next === usual[kind] ? undefined : next, page: undefined })
  return (
    <>
      <h1 class="hidden-text">{names[kind]}</h1>
      <ListHead repository={repository} kind={kind} text={text} show={show} />
      {account && kind === 'issue' && text === usual.issue && page === 1 && <PinnedIssues repository={repository} />}
      <div class="card flush">
        <Ready of={loaded}>
          {(found) => (
            <>
              <div class="list-head">
                <StateLinks text={text} found={found} />
                <IssueFilters repository={repository} isPull={kind === 'pr'} text={text} show={show} />
              </div>
              {found.items.length === 0 ? (
                <Empty title={kind === 'pr' ? 'No pull requests match.' : 'No issues match.'}>
                  {text !== usual[kind] && (
                    <button type="button" class="button tight" onClick={() => show(usual[kind])}>
                      Clear the search
                    </button>
                  )}
                </Empty>
              ) : (
                <>
                  {mayTriage && (
                    <BulkActs
                      repository={repository}
                      issues={found.items}
                      selection={selection}
                      isOpen={stateOf(text) !== 'closed'}
                      reload={loaded.reload}
                    />
                  )}
                  <IssueRows list={found.items} selection={mayTriage ? selection : undefined} />
                </>
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

type HeadProps = {
  readonly repository: Repository
  readonly kind: Kind
  readonly text: string
  show(text: string): void
}

function ListHead({ repository, kind, text, show }: HeadProps) {
  const { account } = useSession()
  const own = `/${repository.full_name}`
  return (
    <div class="row list-tools">
      <SearchForm text={text} show={(next) => show(next || usual[kind])} />
      <a class="button" href={`${own}/labels`}>
        Labels
      </a>
      <a class="button" href={`${own}/milestones`}>
        Milestones
      </a>
      {account && !repository.archived && (
        <a class="button main" href={kind === 'pr' ? `${own}/pulls/new` : `${own}/issues/new`}>
          {kind === 'pr' ? 'New pull request' : 'New issue'}
        </a>
      )}
    </div>
  )
}

export function SearchForm({ text, show }: { text: string; show(text: string): void }) {
  const find = (event: Event) => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement
    show(field.value.trim())
  }
  return (
    <form class="row grow" onSubmit={find}>
      <input class="input grow" type="search" name="q" aria-label="Search" defaultValue={text} key={text} />
      <button type="submit" class="button">
        Search
      </button>
    </form>
  )
}

export function StateLinks({ text, found }: { text: string; found: Found }) {
  const { path } = usePlace()
  const state = stateOf(text)
  const link = (each: 'open' | 'closed', name: string) => {
    const count = state === each ? found.total : state && found.others
    return (
      <a
        href={`${path}?${new URLSearchParams({ q: withState(text, each) })}`}
        {...(state === each && { 'aria-current': 'true' as const })}
      >
        {count !== undefined && formatCount(count)} {name}
      </a>
    )
  }
  return (
    <div class="row state-links">
      {link('open', 'Open')}
      {link('closed', 'Closed')}
    </div>
  )
}
