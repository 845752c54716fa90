/** The clock of a contest: how long until it starts or ends, and its state in a word. */
import { useEffect, useState } from 'preact/hooks'
import type { Contest, ContestState } from '../api/contests.ts'
import { Moment } from '../parts/due.tsx'
import { compareClocks, serverNow } from './server-clock.ts'

export const stateNames: Readonly<Record<ContestState, string>> = {
  before: 'Not started',
  running: 'Running',
  frozen: 'Running, scoreboard frozen',
  ended: 'Ended, results pending',
  thawed: 'Ended',
  finalized: 'Final',
}

const stateLooks: Readonly<Record<ContestState, string>> = {
  before: '',
  running: 'good',
  frozen: 'wait',
  ended: 'wait',
  thawed: '',
  finalized: '',
}

export const StateBadge = ({ state }: { state: ContestState }) => (
  <span class={`badge ${stateLooks[state]}`}>{stateNames[state]}</span>
)

export const isOver = ({ State }: Pick<Contest, 'State'>): boolean =>
  State === 'ended' || State === 'thawed' || State === 'finalized'
export const isRunning = ({ State }: Pick<Contest, 'State'>): boolean => State === 'running' || State === 'frozen'

/** `4:59:07`, with days if there are any. */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const days = Math.floor(seconds / 86_400)
  const pad = (part: number) => String(part).padStart(2, '0')
  const hours = Math.floor(seconds / 3_600) % 24
  const clock = `${days > 0 ? pad(hours) : hours}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
  return days > 0 ? `${days} ${days === 1 ? 'day' : 'days'} ${clock}` : clock
}

/** `5 hours`, `1 hour 30 minutes` */
export function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  const part = (count: number, unit: string) => (count === 0 ? '' : `${count} ${unit}${count === 1 ? '' : 's'}`)
  return [part(Math.floor(minutes / 60), 'hour'), part(minutes % 60, 'minute')].filter(Boolean).join(' ') || '0 minutes'
}

export function useServerNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    compareClocks()
    const timer = setInterval(() => setNow(serverNow()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** The time of the next state change; undefined if unknown. */
export function nextTurn(contest: Contest, now: number): number | undefined {
  const { StartTime, EndTime, FreezeDuration, State } = contest
  const freeze = EndTime !== null && FreezeDuration && State === 'running' ? EndTime - FreezeDuration : null
  const coming = [StartTime, freeze, EndTime].filter((time): time is number => time !== null && time > now)
  return coming.length > 0 ? Math.min(...coming) : undefined
}

/** Not a live region: a screen reader would announce every second. */
export function ContestClock({ contest }: { contest: Contest }) {
  const now = useServerNow()
  const { StartTime, EndTime, CountdownPause } = contest
  if (StartTime === null)
    return (
      <span>
        {CountdownPause === null ? (
          'The start is not set yet'
        ) : (
          <>
            <b class="contest-time">{formatClock(CountdownPause)}</b> before the start; the countdown is paused
          </>
        )}
      </span>
    )
  if (now < StartTime)
    return (
      <span>
        Starts in <b class="contest-time">{formatClock(StartTime - now)}</b>
      </span>
    )
  if (EndTime !== null && now < EndTime)
    return (
      <span>
        <b class="contest-time">{formatClock(EndTime - now)}</b> left
      </span>
    )
  return EndTime === null ? null : (
    <span>
      Ended <Moment at={EndTime} />
    </span>
  )
}
