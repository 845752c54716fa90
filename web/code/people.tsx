/** Who has starred a repository, and who watches it. */
import { readList, repositoryPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { PersonLink } from '../parts/avatar.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'

const size = 50

export const StargazersView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <People repository={repository} title="Stars" list="stargazers" />}
  </RepositoryPage>
)

export const WatchersView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <People repository={repository} title="Watching" list="subscribers" />}
  </RepositoryPage>
)

function People({ repository, title, list }: { repository: Repository; title: string; list: string }) {
  useTitle(`${title} · ${repository.full_name}`)
  const { page } = usePage(size)
  const found = useLoad(`${list} of ${repository.full_name} ${page}`, () =>
    readList<User>(repositoryPath(repository.owner.login, repository.name, list), { per_page: size, page }),
  )
  return (
    <div class="text-width">
      <div class="heading">
        <h1>{title}</h1>
      </div>
      <Ready of={found}>
        {({ items, hasMore }) => (
          <>
            <ul class="plain-list card flush">
              {items.length === 0 && (
                <li>
                  <Empty title="Nobody yet." />
                </li>
              )}
              {items.map((user) => (
                <li key={user.id} class="list-row">
                  <PersonLink user={user} />
                </li>
              ))}
            </ul>
            <StepPager count={items.length} hasMore={hasMore} size={size} what="people" />
          </>
        )}
      </Ready>
    </div>
  )
}
