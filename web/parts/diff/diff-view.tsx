/**
 * What changed, file by file, one version below the other or beside it. Files and lines are drawn as they come into sight, so
 * that ten thousand lines scroll like a hundred. Below a line there is room for what belongs to it, as threads of a review.
 */
import type { ChangedFile } from '../../api/forge-types.ts'
import type { DiffOptions } from './diff-props.ts'
import { FileDiff } from './file-diff.tsx'

type Props = DiffOptions & { readonly files: readonly ChangedFile[] }

export const DiffView = ({ files, ...options }: Props) => (
  <div class="diff">
    {files.map((file, at) => (
      <FileDiff key={file.filename} file={file} isFirst={at < 3} {...options} />
    ))}
  </div>
)
