/** Clarifications that somebody has not read: teams are told of each on every page of the contest, the jury of open questions. */
import type { Clarification } from '../api/contests.ts'
import { getSession } from '../app/session.ts'
import { makeStore, useStore } from '../app/store.ts'
import { contestPath, type Shown } from './shown.ts'

const keyOf = (contestId: string): string => `clarifications ${getSession().account?.ID ?? 0} ${contestId}`

/** Changes when something was read. */
const readings = makeStore(0)

function lastRead(contestId: string): number {
  try {
    return Number(localStorage.getItem(keyOf(contestId)) ?? 0)
  } catch {
    return 0
  }
}

export function noteRead(contestId: string, id: number): void {
  if (id <= lastRead(contestId)) return
  try {
    localStorage.setItem(keyOf(contestId), String(id))
  } catch {}
  readings.set(readings.get() + 1)
}

export function useNews({ contest, clarifications }: Shown): readonly Clarification[] {
  useStore(readings)
  if (contest.Role === 'jury') return clarifications.filter(({ IsOpen }) => IsOpen)
  const read = lastRead(contest.ID)
  return clarifications.filter(({ ID, FromTeamID }) => ID > read && FromTeamID === null)
}

const mostShown = 200
const shorten = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)} …` : text)

export function NewClarification({ shown }: { shown: Shown }) {
  const { contest } = shown
  const [newest, ...others] = useNews(shown)
  if (!newest) return null
  const isOfJury = contest.Role === 'jury'
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return (
    <div class="notice no-print" role="status">
      <p>
        <b>{isOfJury ? 'Open question' : newest.ReplyTo === null ? 'The jury says' : 'The jury answers'}:</b>{' '}
        {shorten(newest.Text)}
        {more}
      </p>
      <a class="button tight" href={contestPath(contest.ID, 'clarifications')}>
        {isOfJury ? 'Answer' : 'Read'}
      </a>
    </div>
  )
}
