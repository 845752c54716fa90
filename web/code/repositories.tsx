/** All repositories that one has to do with, or everybody's public ones; found by words of their names. */
import { read, readList } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import { Heading } from '../parts/heading.tsx'
import { pageSize, StepPager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { RepositoryList } from './repository-list.tsx'

type Found = { readonly items: readonly Repository[]; readonly hasMore: boolean }

async function search(words: string, page: number): Promise<Found> {
  const query = { q: `${words} fork:true`.trim(), sort: 'updated', per_page: pageSize, page }
  const { items, total_count } = await read<{ items: Repository[]; total_count: number }>('/search/repositories', query)
  return { items, hasMore: page * pageSize < total_count }
}

export function Repositories() {
  const { account } = useSession()
  const { query } = usePlace()
  const { page } = usePage()
  const words = query.get('q') ?? ''
  const isMine = account !== undefined && query.get('all') === null
  const loaded = useLoad(`repositories ${account?.ID} ${isMine} ${words} ${page}`, () =>
    isMine && words === ''
      ? readList<Repository>('/user/repos', { sort: 'pushed', per_page: pageSize, page })
      : search(isMine ? `${words} user:${account.AccountName}` : words, page),
  )
  const find = (event: Event) => {
    event.preventDefault()
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('q') as HTMLInputElement
    setQuery({ q: field.value.trim(), page: undefined })
  }
  return (
    <>
      <Heading title="Repositories">
        {account && (
          <span class="row">
            <a class="button" href="/-/organisations/new">
              New organisation
            </a>
            <a class="button main" href="/-/repositories/new">
              New repository
            </a>
          </span>
        )}
      </Heading>
      {account && (
        <Tabs
          label="Repositories"
          tabs={[
            ['/-/repositories', 'Mine', isMine],
            ['/-/repositories?all', 'Everybody’s', !isMine],
          ]}
        />
      )}
      <form class="row filters" onSubmit={find}>
        <input
          class="input grow"
          type="search"
          name="q"
          aria-label="Find a repository"
          placeholder="Find a repository"
          defaultValue={words}
          key={words}
        />
        <button type="submit" class="button">
          Find
        </button>
      </form>
      <Ready of={loaded}>
        {({ items, hasMore }) =>
          items.length === 0 && page === 1 ? (
            <div class="card">
              <Empty
                title={words ? 'No repository has these words in its name or description.' : 'No repositories yet.'}
              >
                {account && !words && <a href="/-/repositories/new">Create the first one</a>}
              </Empty>
            </div>
          ) : (
            <>
              <RepositoryList list={items} />
              <StepPager count={items.length} hasMore={hasMore} size={pageSize} what="repositories" />
            </>
          )
        }
      </Ready>
    </>
  )
}
