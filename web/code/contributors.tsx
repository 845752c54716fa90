/** Who made the commits of the default branch, most first. */
import { plural } from '../../src/lib/text/plural.ts'
import { readList, repositoryPath } from '../api/forge.ts'
import type { Repository, User } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { PersonLink } from '../parts/avatar.tsx'
import { StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { codePath } from './paths.ts'

type Contributor = (User | { readonly type: 'Anonymous'; readonly name: string; readonly login?: undefined }) & {
  readonly contributions: number
}

const size = 50

export const ContributorsView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="code">
    {(repository) => <Contributors repository={repository} />}
  </RepositoryPage>
)

function Contributors({ repository }: { repository: Repository }) {
  useTitle(`Contributors · ${repository.full_name}`)
  const { page } = usePage(size)
  const people = useLoad(`contributors ${repository.full_name} ${page}`, async () => {
    const path = repositoryPath(repository.owner.login, repository.name, 'contributors')
    // An empty repository is answered with nothing at all.
    return readList<Contributor>(path, { per_page: size, page, anon: 1 }).catch((error) => {
      if (error instanceof SyntaxError) return { items: [], hasMore: false }
      throw error
    })
  })
  return (
    <>
      <div class="heading">
        <h1>Contributors</h1>
      </div>
      <Ready of={people}>
        {({ items, hasMore }) => {
          const most = Math.max(1, ...items.map(({ contributions }) => contributions))
          return (
            <>
              <ul class="plain-list card flush text-width">
                {items.length === 0 && (
                  <li>
                    <Empty title="No commits yet." />
                  </li>
                )}
                {items.map((one, at) => (
                  <li key={one.login ?? `${at}`} class="list-row">
                    <span class="row spread access-row">
                      {one.login === undefined ? <bdi class="strong">{one.name}</bdi> : <PersonLink user={one} />}
                      {one.login === undefined ? (
                        <span class="small soft">{plural(one.contributions, 'commit')}</span>
                      ) : (
                        <a
                          class="small"
                          href={`${codePath(repository, 'commits', repository.default_branch)}?author=${one.login}`}
                        >
                          {plural(one.contributions, 'commit')}
                        </a>
                      )}
                    </span>
                    <span class="share-bar" aria-hidden="true">
                      <span style={{ width: `${(100 * one.contributions) / most}%` }} />
                    </span>
                  </li>
                ))}
              </ul>
              <StepPager count={items.length} hasMore={hasMore} size={size} what="contributors" />
            </>
          )
        }}
      </Ready>
    </>
  )
}
