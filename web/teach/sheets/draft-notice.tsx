/** Says that a sheet is a draft, with a button to publish it. */
import type { Sheet } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll } from '../../app/load.ts'
import { Moment } from '../../parts/due.tsx'
import { useAct } from '../../parts/form.tsx'
import { focusTitle } from '../../parts/revealed.ts'
import { FailedAct } from '../../parts/state.tsx'

export function DraftNotice({ sheet, reload }: { sheet: Sheet; reload(): void }) {
  const act = useAct()
  const publish = () =>
    act.run(async () => {
      await call('update_sheet', { ID: sheet.ID, IsPublished: true })
      forgetAll()
      reload()
      focusTitle()
    })
  return (
    <div class="notice">
      <p>
        Only the teachers of the class see this draft.{' '}
        {sheet.OpenTime > Date.now() && (
          <>
            Once it is published, students see it from <Moment at={sheet.OpenTime} /> on.
          </>
        )}
      </p>
      <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void publish()}>
        Publish
      </button>
      <FailedAct act={act} />
    </div>
  )
}
