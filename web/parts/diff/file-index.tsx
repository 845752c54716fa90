/** The files that changed, as links to their parts of the page, with how much changed in all. */
import { plural } from '../../../src/lib/text/plural.ts'
import type { ChangedFile } from '../../api/forge-types.ts'
import { fileAnchor } from './diff-props.ts'
import { Figures } from './file-diff.tsx'

type Props = {
  readonly files: readonly ChangedFile[]
  /** Not all of them are told here. */
  readonly hasMore?: boolean
}

export function FileIndex({ files, hasMore = false }: Props) {
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + file[key], 0)
  return (
    <details class="file-index">
      <summary>
        {hasMore ? `The first ${plural(files.length, 'changed file')}` : plural(files.length, 'changed file')}{' '}
        <Figures additions={sum('additions')} deletions={sum('deletions')} />
      </summary>
      <ul class="plain-list">
        {files.map((file) => (
          <li key={file.filename} class="row">
            <a href={`#${encodeURIComponent(fileAnchor(file.filename))}`}>
              <bdi>{file.filename}</bdi>
            </a>
            <Figures additions={file.additions} deletions={file.deletions} />
          </li>
        ))}
      </ul>
    </details>
  )
}
