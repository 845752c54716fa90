/** Times in the Contest API's format, always with milliseconds and Z. */

export const toTime = (ms: number): string => new Date(ms).toISOString()
export const toTimeOrNull = (ms: number | null): string | null => (ms === null ? null : toTime(ms))

export function toRelative(ms: number): string {
  const all = Math.abs(Math.trunc(ms))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(all / 3_600_000)
  const minutes = two(Math.floor(all / 60_000) % 60)
  const seconds = two(Math.floor(all / 1_000) % 60)
  return `${ms < 0 ? '-' : ''}${hours}:${minutes}:${seconds}.${String(all % 1_000).padStart(3, '0')}`
}

const absolute = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(Z|[+-]\d{2}(?::?\d{2})?)$/

/** Undefined if the text is not a time. */
export function readTime(text: unknown): number | undefined {
  const found = typeof text === 'string' ? absolute.exec(text) : null
  if (!found) return undefined
  const zone = found[1]!
  const spelled = (text as string).slice(0, -zone.length) + (/^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone)
  const ms = Date.parse(spelled)
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined
}

export function readRelative(text: unknown): number | undefined {
  const found = typeof text === 'string' ? /^(\d{1,5}):([0-5]\d):([0-5]\d)(?:\.(\d{3}))?$/.exec(text) : null
  if (!found) return undefined
  const [, hours, minutes, seconds, ms = '0'] = found
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(ms)
}
