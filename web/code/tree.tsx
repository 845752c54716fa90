/** The page of a folder. */

import type { Repository } from '../api/forge-types.ts'
import { useLoad } from '../app/load.ts'
import { useTitle } from '../app/page.ts'
import type { ViewProps } from '../app/view.ts'
import { AddFile, FolderDrop } from './add-file.tsx'
import { BranchStanding } from './branch-standing.tsx'
import { CodeHead } from './code-head.tsx'
import { GoToFile } from './go-to-file.tsx'
import { type CodePlace, toRef } from './place.ts'
import { OrMissing, Placed } from './placed.tsx'
import { readContent } from './tree/folder.ts'
import { FolderView } from './tree/folder-view.tsx'

export const TreeView = ({ params }: ViewProps) => (
  <Placed params={params}>{(repository, place) => <Tree repository={repository} place={place} />}</Placed>
)

function Tree({ repository, place }: { repository: Repository; place: CodePlace }) {
  const { owner, name } = repository
  useTitle(`${place.path || repository.full_name} at ${place.ref}`)
  const folder = useLoad(`content ${repository.full_name} ${toRef(place)} ${place.path}`, () =>
    readContent(owner.login, name, place.path, toRef(place)),
  )
  return (
    <>
      <h1 class="hidden-text">
        {place.path || 'Files'} at {place.ref}
      </h1>
      <CodeHead repository={repository} place={place} page="tree">
        <GoToFile repository={repository} place={place} />
        <AddFile repository={repository} place={place} />
      </CodeHead>
      <BranchStanding repository={repository} place={place} />
      <OrMissing of={folder} owner={owner.login} repo={name}>
        {(found) => (
          <FolderDrop repository={repository} place={place}>
            <FolderView repository={repository} place={place} folder={found} />
          </FolderDrop>
        )}
      </OrMissing>
    </>
  )
}
