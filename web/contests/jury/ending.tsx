/** Ends a running contest before its time. */
import type { Contest } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { ask } from '../../parts/ask.tsx'
import { Moment } from '../../parts/due.tsx'
import { useAct } from '../../parts/form.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { serverNow } from '../server-clock.ts'
import { contestPath } from '../shown.ts'
import { endAt } from './end-times.ts'

export function Ending({ contest, reload }: { contest: Contest; reload(): void }) {
  const act = useAct()
  const end = () =>
    act.run(async () => {
      const text = 'Teams can no longer submit, and its problems open to everyone. This can’t be undone.'
      if (!(await ask({ title: 'End the contest now?', text, action: 'End now' }))) return
      await call('update_contest', { ID: contest.ID, ...endAt(contest, serverNow()) })
      reload()
    })
  return (
    <section class="card" aria-labelledby="ending">
      <h2 id="ending">End</h2>
      {contest.EndTime !== null && (
        <p>
          Ends <Moment at={contest.EndTime} />.{' '}
          <a href={contestPath(contest.ID, 'manage/settings')}>Change the length</a>
        </p>
      )}
      <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void end()}>
        End now
      </button>
      <FailedAct act={act} />
    </section>
  )
}
