/** A link that creates a file in the current folder. */
import type { Repository } from '../api/forge-types.ts'
import { useSession } from '../app/session.ts'
import { codePath } from './paths.ts'
import type { CodePlace } from './place.ts'

/** People without write access propose a change from their own fork. */
export function AddFile({ repository, place }: { repository: Repository; place: CodePlace }) {
  const { account } = useSession()
  if (!account || place.kind !== 'branch' || repository.archived) return null
  return (
    <a class="button tight" href={codePath(repository, 'new', place.ref, place.path)}>
      Add file
    </a>
  )
}
