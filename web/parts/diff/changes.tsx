/** Changes with all that stands around them: how many files, how they are laid out, and more of them where there are more. */
import type { ChangedFile } from '../../api/forge-types.ts'
import type { Act } from '../form.tsx'
import { Empty, FailedAct } from '../state.tsx'
import type { DiffOptions } from './diff-props.ts'
import { DiffView } from './diff-view.tsx'
import { FileIndex } from './file-index.tsx'
import { LayoutChoice, useLayout } from './layout-choice.tsx'

type Props = Omit<DiffOptions, 'layout'> & {
  readonly files: readonly ChangedFile[]
  readonly hasMore: boolean
  readonly act: Act
  loadMore(): void
}

export function Changes({ files, hasMore, act, loadMore, ...options }: Props) {
  const choice = useLayout()
  if (files.length === 0)
    return (
      <div class="card">
        <Empty title="No files changed." />
      </div>
    )
  return (
    <>
      <div class="diff-bar">
        <FileIndex files={files} hasMore={hasMore} />
        <LayoutChoice {...choice} />
      </div>
      <DiffView files={files} layout={choice.layout} {...options} />
      <FailedAct act={act} />
      {hasMore && (
        <p>
          <button type="button" class="button" disabled={act.isBusy} onClick={loadMore}>
            Show more files
          </button>
        </p>
      )}
    </>
  )
}
