/** The branch of a pull that is over: deleted when it is no longer needed, and restored. */
import { readIfThere, repositoryPath, send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useLoad } from '../app/load.ts'
import { rightsOn } from '../issues/issue-side.tsx'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'

type Props = { readonly pull: Pull; readonly repository: Repository; reload(): void }

export function HeadBranch({ pull, repository, reload }: Props) {
  const { ref, sha, repo } = pull.head
  const isOwn = repo?.id === repository.id && ref !== repository.default_branch
  const mayChange = isOwn && rightsOn(repository).mayWrite
  const git = (...rest: string[]) => repositoryPath(repository.owner.login, repository.name, 'git', ...rest)
  const branch = useLoad(`branch of pull ${pull.id} ${mayChange}`, async () =>
    mayChange ? (await readIfThere(git('ref', `heads/${ref}`))) !== undefined : undefined,
  )
  const act = useAct()
  const isThere = branch.value
  if (isThere === undefined) return null
  const turn = () =>
    act.run(async () => {
      if (isThere) await send('DELETE', git('refs', `heads/${ref}`))
      else await send('POST', git('refs'), { ref: `refs/heads/${ref}`, sha })
      branch.replace(!isThere)
      reload()
    })
  return (
    <div class="row">
      <span class="grow soft">
        {isThere
          ? pull.merged
            ? 'Its branch is no longer needed.'
            : 'Its branch is still there.'
          : 'Its branch is deleted.'}
      </span>
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void turn()}>
        {isThere ? 'Delete branch' : 'Restore branch'}
      </button>
      <FailedAct act={act} />
    </div>
  )
}
