/** How far a milestone is, and when it is due. */
import type { Milestone } from '../api/issue-types.ts'
import { makeDateFormat } from '../parts/dates.ts'

const day = makeDateFormat({ dateStyle: 'long', timeZone: 'UTC' })

export const formatDay = (time: string): string => day.format(Date.parse(time))

export function Progress({ milestone }: { milestone: Milestone }) {
  const { open_issues: open, closed_issues: closed } = milestone
  const all = open + closed
  const share = all === 0 ? 0 : Math.floor((closed / all) * 100)
  return (
    <div class="milestone-progress">
      <progress value={closed} max={Math.max(all, 1)} aria-label={`${milestone.title}: ${share} percent complete`} />
      <p class="small soft row">
        <span>{share}% complete</span>
        <span>{open} open</span>
        <span>{closed} closed</span>
      </p>
    </div>
  )
}

export const Due = ({ milestone: { due_on: due, state, closed_at: closedAt } }: { milestone: Milestone }) => {
  if (state === 'closed' && closedAt) return <span>Closed on {formatDay(closedAt)}</span>
  if (!due) return <span>No due date</span>
  const isLate = Date.parse(due) + 86_400_000 < Date.now()
  return (
    <span class={isLate ? 'bad-text' : undefined}>
      {isLate ? 'Past due since' : 'Due on'} {formatDay(due)}
    </span>
  )
}
