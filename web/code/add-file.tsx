/** Leads to a new file in the folder that is looked at. */
import type { Repository } from '../api/forge-types.ts'
import { useSession } from '../app/session.ts'
import { codePath } from './paths.ts'
import type { CodePlace } from './place.ts'

/** Who may not write proposes a change: a fork of their own is made for it. */
export function AddFile({ repository, place }: { repository: Repository; place: CodePlace }) {
  const { account } = useSession()
  if (!account || place.kind !== 'branch' || repository.archived) return null
  return (
    <a class="button tight" href={codePath(repository, 'new', place.ref, place.path)}>
      Add file
    </a>
  )
}
