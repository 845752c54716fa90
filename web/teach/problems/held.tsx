/** A problem that is held back: only its author and admins see it, until it is released. */
import { useState } from 'preact/hooks'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { useAct } from '../../parts/form.tsx'
import { useRevealed } from '../../parts/revealed.ts'
import { Failed } from '../../parts/state.tsx'

export const hold = async (UUID: string, IsHeld: boolean): Promise<void> => {
  await call('update_problem_judging', { UUID, Judging: { IsHeld } })
}

export const HoldChoice = ({ isHeld, choose }: { isHeld: boolean; choose(isHeld: boolean): void }) => (
  <label class="check">
    <input type="checkbox" checked={isHeld} onChange={(event) => choose(event.currentTarget.checked)} />
    <span>
      Do not release it yet <small class="soft"> Only you and admins can see it until you release it.</small>
    </span>
  </label>
)

/** For the problem's author and admins. `offersHolding`: also shown for released problems. */
export function HeldNotice({ uuid, offersHolding = false }: { uuid: string; offersHolding?: boolean }) {
  const act = useAct()
  const loaded = useLoad(`judging ${uuid}`, async () => (await call('get_problem_judging', { UUID: uuid })).Judging)
  const isHeld = loaded.value?.IsHeld
  const [released, setReleased] = useState<true>()
  const place = useRevealed<HTMLDivElement>(released)
  const turn = () =>
    act.run(async () => {
      await hold(uuid, !isHeld)
      forgetAll()
      if (isHeld) setReleased(true)
      loaded.reload()
    })
  if (isHeld === undefined || (!isHeld && !offersHolding && !released)) return null
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      <div class="notice" role="status" tabIndex={-1} ref={place}>
        <p>
          {isHeld
            ? 'This problem is not released: only its author, admins and people to whom an open sheet or a running contest shows it can see it. Add tests and try a solution; then release it, or put it on a sheet or into a contest without releasing it.'
            : 'Everyone who signs in can see this problem.'}
        </p>
        <button type="button" class="button tight" disabled={act.isBusy} onClick={() => void turn()}>
          {isHeld ? 'Release' : 'Withdraw'}
        </button>
      </div>
    </>
  )
}
