/** A deadline: the moment in the page's own time zone, and how long it is until then, counted as one looks. */
import { useEffect, useState } from 'preact/hooks'
import { makeDateFormat } from './dates.ts'

const moment = makeDateFormat({
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})

/** With the zone: others may read the page elsewhere. */
export const formatMoment = (ms: number): string => moment.format(ms)

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** The two largest units: `2 days 3 hours`. */
export function formatSpan(ms: number): string {
  const at = units.findIndex(([unit]) => ms >= unit)
  if (at < 0) return 'less than a second'
  let left = ms
  const parts = units.slice(at, at + 2).map(([unit, name]) => {
    const count = Math.floor(left / unit)
    left -= count * unit
    return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`
  })
  return parts.filter(Boolean).join(' ')
}

export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

export const Moment = ({ at }: { at: number }) => <time dateTime={new Date(at).toISOString()}>{formatMoment(at)}</time>

type DueProps = { readonly due: number | null; readonly lateUntil: number | null }

/** Not read out at each second: a reader asks for it. */
export function Countdown({ due, lateUntil }: DueProps) {
  const now = useNow()
  if (due === null) return null
  if (now <= due)
    return <span class={`badge ${due - now < 86_400_000 ? 'wait' : ''}`}>{formatSpan(due - now)} left</span>
  if (lateUntil !== null && now <= lateUntil)
    return <span class="badge wait">Late: {formatSpan(lateUntil - now)} left</span>
  return <span class="badge">Over</span>
}

/** For an input of the kind `datetime-local`, which knows no zone: the browser's own. */
export function toLocalInput(ms: number | null): string {
  if (ms === null) return ''
  const date = new Date(ms)
  const pad = (part: number) => String(part).padStart(2, '0')
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}`
}

export function fromLocalInput(text: string): number | null {
  const ms = new Date(text).getTime()
  return Number.isNaN(ms) ? null : ms
}

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
