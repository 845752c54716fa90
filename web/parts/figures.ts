/** Figures and times as people read them. */
import { makeDateFormat } from './dates.ts'

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export const formatCount = (count: number): string => count.toLocaleString('en')

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let at = 0
  let value = bytes
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024
    at++
  }
  return `${numbers.format(value)} ${units[at]}`
}

export const formatMs = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${numbers.format(ms / 1000)} s`)

const dayAndTime = makeDateFormat({ dateStyle: 'medium', timeStyle: 'short' })
export const formatTime = (ms: number): string => dayAndTime.format(ms)

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const steps: readonly (readonly [limitMs: number, unitMs: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60_000, 1_000, 'second'],
  [3_600_000, 60_000, 'minute'],
  [86_400_000, 3_600_000, 'hour'],
  [30 * 86_400_000, 86_400_000, 'day'],
]

const day = makeDateFormat({ dateStyle: 'medium' })

/** "3 minutes ago"; the date for what is long past. */
export function formatAgo(ms: number, now = Date.now()): string {
  const gone = now - ms
  if (gone < 5_000) return 'just now'
  const step = steps.find(([limit]) => gone < limit)
  return step ? relative.format(-Math.floor(gone / step[1]), step[2]) : day.format(ms)
}
