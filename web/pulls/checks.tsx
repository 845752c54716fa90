/** The checks of a pull's newest commit. */
import type { ViewProps } from '../app/view.ts'
import { placeOfThread } from '../issues/thread.ts'
import { CheckList, summarise } from '../parts/check-list.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { useChecks, usePull, usePullLive } from './pull-data.ts'
import { PullPage } from './pull-page.tsx'

export function PullChecksView({ params }: ViewProps) {
  const place = placeOfThread(params)
  const pull = usePull(place)
  const checks = useChecks(place, pull.value)
  const reload = () => {
    pull.reload()
    checks.reload()
  }
  usePullLive(pull.value, reload)
  return (
    <PullPage params={params} tab="checks" loaded={pull} reload={reload}>
      {({ head }) => (
        <Ready of={checks}>
          {({ statuses, rules }) => (
            <div class="card">
              {statuses.length + rules.contexts.length === 0 ? (
                <Empty title="No checks ran on this commit.">
                  Programs report checks with <code>POST /repos/…/statuses/{head.sha.slice(0, 7)}</code>.
                </Empty>
              ) : (
                <>
                  <h2>{summarise(statuses, rules.contexts)}</h2>
                  <p class="small soft">
                    For commit <code>{head.sha.slice(0, 7)}</code>
                  </p>
                  <CheckList statuses={statuses} required={rules.contexts} />
                </>
              )}
            </div>
          )}
        </Ready>
      )}
    </PullPage>
  )
}
