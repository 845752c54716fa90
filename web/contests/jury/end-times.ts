/** The duration with which a contest ends now. */
import type { Contest } from '../../api/contests.ts'
import { minute } from './contest-draft.ts'

type Timed = Pick<Contest, 'StartTime' | 'Duration' | 'FreezeDuration' | 'RemovedIntervalList'>

/** Keeps the start of the freeze, so that nothing visible becomes hidden. */
export function endAt(
  { StartTime, Duration, FreezeDuration, RemovedIntervalList }: Timed,
  now: number,
): Pick<Contest, 'Duration' | 'FreezeDuration'> {
  const start = StartTime ?? now
  const removed = RemovedIntervalList.reduce(
    (sum, one) => sum + Math.max(0, Math.min(one.EndTime, now) - Math.max(one.StartTime, start)),
    0,
  )
  const length = Math.max(minute, Math.round(now - start - removed))
  const freeze = FreezeDuration === null ? 0 : length - (Duration - FreezeDuration)
  return { Duration: Math.min(length, Duration), FreezeDuration: freeze > 0 ? freeze : null }
}
