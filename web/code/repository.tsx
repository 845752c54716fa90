/** A repository's home: its files, its README, and what there is to know about it. */

import { plural } from '../../src/lib/text/plural.ts'
import { isMissing } from '../api/fault.ts'
import { readList, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { RepositoryPage } from '../parts/repository-page.tsx'
import { Ready } from '../parts/state.tsx'
import { About } from './about.tsx'
import { AddFile, FolderDrop } from './add-file.tsx'
import { RecentPushes } from './branch-standing.tsx'
import { CloneBox } from './clone-box.tsx'
import { CodeHead } from './code-head.tsx'
import { EmptyRepository } from './empty-repository.tsx'
import { GoToFile } from './go-to-file.tsx'
import { codePath } from './paths.ts'
import type { CodePlace } from './place.ts'
import { type Content, readContent } from './tree/folder.ts'
import { FolderView } from './tree/folder-view.tsx'

export function RepositoryView({ params }: ViewProps) {
  const { owner = '', repo = '' } = params
  useTitle(`${owner}/${repo}`)
  const files = useLoad(`home ${owner}/${repo}`, () => readFiles(owner, repo))
  return (
    <RepositoryPage params={params} tab="code" isHome>
      {(repository, loaded) => (
        <div class="repository-home">
          <div class="home-main">
            <Ready of={files}>
              {({ root }) =>
                root ? (
                  <Files repository={repository} root={root} />
                ) : (
                  <EmptyRepository
                    repository={repository}
                    changed={() => {
                      loaded.reload()
                      files.reload()
                    }}
                  />
                )
              }
            </Ready>
          </div>
          <About repository={repository} isEmpty={files.value?.root === undefined} />
        </div>
      )}
    </RepositoryPage>
  )
}

/** Of a repository that nothing was ever pushed to there are none. */
async function readFiles(owner: string, repo: string): Promise<{ root: Content | undefined }> {
  try {
    return { root: await readContent(owner, repo, '') }
  } catch (error) {
    if (isMissing(error)) return { root: undefined }
    throw error
  }
}

function Files({ repository, root }: { repository: Repository; root: Content }) {
  const { owner, name, default_branch } = repository
  const place: CodePlace = { ref: default_branch, kind: 'branch', path: '' }
  const counts = useLoad(`counts of refs ${repository.full_name}`, async () => {
    const count = async (kind: string) => {
      const { items, lastPage } = await readList(repositoryPath(owner.login, name, kind), { per_page: 1 })
      return lastPage ?? items.length
    }
    const [branches, tags] = await Promise.all([count('branches'), count('tags')])
    return { branches, tags }
  })
  return (
    <>
      <RecentPushes repository={repository} />
      <CodeHead repository={repository} place={place} page="tree">
        {counts.value && (
          <>
            <a class="small" href={codePath(repository, 'branches')}>
              {counts.value.branches === 1 ? '1 branch' : `${counts.value.branches} branches`}
            </a>
            <a class="small" href={codePath(repository, 'tags')}>
              {plural(counts.value.tags, 'tag')}
            </a>
          </>
        )}
        <GoToFile repository={repository} place={place} />
        <AddFile repository={repository} place={place} />
        <CloneBox repository={repository} refName={default_branch} />
      </CodeHead>
      <FolderDrop repository={repository} place={place}>
        <FolderView repository={repository} place={place} folder={root} />
      </FolderDrop>
    </>
  )
}
