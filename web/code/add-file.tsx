/** Creates a file in the current folder, or uploads some: by a link, or by dropping them on the list. */
import type { ComponentChildren } from 'preact'
import type { Repository } from '../api/forge-types.ts'
import { go } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import { codePath } from './paths.ts'
import type { CodePlace } from './place.ts'
import { holdFiles } from './upload/chosen-files.ts'
import { DropZone } from './upload/drop-zone.tsx'

type Props = { readonly repository: Repository; readonly place: CodePlace }

/** People without write access propose a change from their own fork. */
function useMayAdd({ repository, place }: Props): boolean {
  const { account } = useSession()
  return account !== undefined && place.kind === 'branch' && !repository.archived && repository.mirror_url === null
}

export function AddFile(props: Props) {
  const { repository, place } = props
  if (!useMayAdd(props)) return null
  return (
    <>
      <a class="button tight" href={codePath(repository, 'new', place.ref, place.path)}>
        Add file
      </a>
      <a class="button tight" href={codePath(repository, 'upload', place.ref, place.path)}>
        Upload files
      </a>
    </>
  )
}

/** Dropped files are taken to the page that commits them. */
export function FolderDrop({ children, ...props }: Props & { readonly children: ComponentChildren }) {
  const { repository, place } = props
  const mayAdd = useMayAdd(props)
  return (
    <DropZone
      class="folder-drop"
      isDisabled={!mayAdd}
      take={(files) => {
        holdFiles(files)
        go(codePath(repository, 'upload', place.ref, place.path))
      }}
    >
      {children}
    </DropZone>
  )
}
