/** Where the history of a file goes on under the name that it had before it was moved. */
import { readIfThere, repositoryPath } from '../api/forge.ts'
import type { Commit, Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { codePath } from './paths.ts'

type Props = {
  readonly repository: Repository
  readonly path: string /** The first commit that has it. */
  readonly first: Commit
}

export function RenamedFrom({ repository, path, first }: Props) {
  const commitPath = repositoryPath(repository.owner.login, repository.name, 'commits', first.sha)
  const found = useLoad(`renamed ${commitPath} ${path}`, async () => {
    const commit = await readIfThere<Commit>(commitPath, { per_page: 300 })
    return commit?.files?.find(({ filename, status }) => filename === path && status === 'renamed')?.previous_filename
  })
  const parent = first.parents[0]?.sha
  if (!found.value || !parent) return null
  return (
    <p class="card below">
      Renamed from{' '}
      <code>
        <bdi>{found.value}</bdi>
      </code>
      . <a href={codePath(repository, 'commits', parent, found.value)}>View its earlier history</a>
    </p>
  )
}
