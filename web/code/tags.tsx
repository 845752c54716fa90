/** The tags of a repository, with their archives. */
import { readList, repositoryPath, toPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { StepPager, usePage } from '../parts/pager.tsx'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { Table } from '../parts/table.tsx'
import { codePath, shortSha } from './paths.ts'

type Tag = { readonly name: string; readonly commit: { readonly sha: string } }

const size = 50

export const TagsView = ({ params }: ViewProps) => (
  <RepositoryPage params={params} tab="releases">
    {(repository) => <Tags repository={repository} />}
  </RepositoryPage>
)

function Tags({ repository }: { repository: Repository }) {
  const [owner, repo] = [repository.owner.login, repository.name]
  useTitle(`Tags · ${repository.full_name}`)
  const { page } = usePage(size)
  const tags = useLoad(`tags ${owner}/${repo} ${page}`, () =>
    readList<Tag>(repositoryPath(owner, repo, 'tags'), { per_page: size, page }),
  )
  const archive = (kind: string, name: string) => toPath('repos', owner, repo, kind, 'refs', 'tags', name)
  return (
    <>
      <div class="heading">
        <h1>Tags</h1>
        <a class="button" href={codePath(repository, 'releases')}>
          Releases
        </a>
      </div>
      <Ready of={tags}>
        {({ items, hasMore }) => (
          <>
            <div class="card flush scroll">
              {items.length === 0 ? (
                <Empty title="No tags yet.">Publish a release or push a tag to create one.</Empty>
              ) : (
                <Table
                  rows={items}
                  keyOf={({ name }) => name}
                  columns={[
                    {
                      head: 'Tag',
                      cell: ({ name }) => (
                        <a class="strong" href={codePath(repository, 'tree', name)}>
                          <bdi>{name}</bdi>
                        </a>
                      ),
                    },
                    {
                      head: 'Commit',
                      cell: ({ commit }) => (
                        <a href={codePath(repository, 'commit', commit.sha)}>
                          <code>{shortSha(commit.sha)}</code>
                        </a>
                      ),
                    },
                    {
                      head: 'Archive',
                      cell: ({ name }) => (
                        <>
                          <a href={archive('zipball', name)} download aria-label={`${name} as zip`}>
                            zip
                          </a>{' '}
                          ·{' '}
                          <a href={archive('tarball', name)} download aria-label={`${name} as tar.gz`}>
                            tar.gz
                          </a>
                        </>
                      ),
                    },
                  ]}
                />
              )}
            </div>
            <StepPager count={items.length} hasMore={hasMore} size={size} what="tags" />
          </>
        )}
      </Ready>
    </>
  )
}
