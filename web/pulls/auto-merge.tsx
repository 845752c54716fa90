/** That a pull will be merged as soon as the rules of its base allow it: who asked, in which way, and the way back. */
import { send } from '../api/forge.ts'
import type { Repository } from '../api/forge-types.ts'
import type { Pull } from '../api/issue-types.ts'
import { useAct } from '../parts/form.tsx'
import { FailedAct } from '../parts/state.tsx'

const ways = { merge: 'with a merge commit', squash: 'by squashing', rebase: 'by rebasing' } as const

type Props = { readonly pull: Pull; readonly repository: Repository; readonly mayWrite: boolean; reload(): void }

export function AutoMergeNote({ pull, repository, mayWrite, reload }: Props) {
  const act = useAct()
  if (!pull.auto_merge) return null
  const { enabled_by: by, merge_method: method } = pull.auto_merge
  const disable = () =>
    act.run(async () => {
      await send('DELETE', `/repos/${repository.full_name}/pulls/${pull.number}/auto-merge`)
      reload()
    })
  return (
    <div class="merge-part">
      <p>
        <b>This will be merged when it is ready.</b>
      </p>
      <p class="soft">
        <a href={`/${by.login}`}>{by.login}</a> enabled auto-merge: it is merged {ways[method]} as soon as the rules of
        the base branch are met.
      </p>
      {mayWrite && (
        <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void disable()}>
          Disable auto-merge
        </button>
      )}
      <FailedAct act={act} />
    </div>
  )
}
