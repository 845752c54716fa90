/** The files of a pull that conflict with its base, and the commands that resolve them. */
import { readList, repositoryPath } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'

export function Conflicts({ pull, repository }: { pull: Pull; repository: Repository }) {
  const path = repositoryPath(repository.owner.login, repository.name, 'pulls', pull.number, 'conflicts')
  const found = useLoad(`conflicts ${path} ${pull.base.sha} ${pull.head.sha}`, () =>
    readList<{ readonly filename: string }>(path, { per_page: 100 }),
  )
  const files = found.value?.items ?? []
  return (
    <>
      {files.length > 0 && (
        <>
          <p class="soft">Both branches have changed:</p>
          <ul class="conflicts" aria-label="Files in conflict">
            {files.map(({ filename }) => (
              <li key={filename}>
                <bdi class="mono">{filename}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="soft">Merge the base branch into this branch, resolve the conflicts, and push:</p>
      <pre tabIndex={0}>
        {`git fetch origin\ngit switch ${pull.head.ref}\ngit merge origin/${pull.base.ref}\n# resolve the conflicts, then\ngit commit\ngit push`}
      </pre>
    </>
  )
}
