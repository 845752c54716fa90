/** The names of the days and weeks that threads are grouped by. */
import { makeDateFormat } from '../parts/dates.ts'

const dayMs = 86_400_000
const month = makeDateFormat({ month: 'long', year: 'numeric' })

export function nameTime(time: string, now = new Date()): string {
  const at = Date.parse(time)
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  if (at >= today) return 'Today'
  if (at >= today - dayMs) return 'Yesterday'
  if (at >= today - 6 * dayMs) return 'This week'
  return month.format(at)
}
