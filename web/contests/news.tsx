/** Unread clarifications, announced on every page of a contest: to teams each new one, to the jury open questions. */
import { useRef, useState } from 'preact/hooks'
import type { Clarification } from '../api/contests.ts'
import { getSession } from '../app/session.ts'
import { makeStore, useStore } from '../app/store.ts'
import { focusTitle } from '../parts/revealed.ts'
import { contestPath, type Shown } from './shown.ts'

/** A question that the jury dismissed stays unread until it is answered. */
type Note = 'clarifications' | 'dismissed'

const keyOf = (contestId: string, note: Note): string => `${note} ${getSession().account?.ID ?? 0} ${contestId}`

/** Changes when a clarification is read or dismissed. */
const readings = makeStore(0)

function lastNoted(contestId: string, note: Note): number {
  try {
    return Number(localStorage.getItem(keyOf(contestId, note)) ?? 0)
  } catch {
    return 0
  }
}

function keep(contestId: string, id: number, note: Note): void {
  if (id <= lastNoted(contestId, note)) return
  try {
    localStorage.setItem(keyOf(contestId, note), String(id))
  } catch {}
  readings.set(readings.get() + 1)
}

export const noteRead = (contestId: string, id: number): void => keep(contestId, id, 'clarifications')

export function useNews({ contest, clarifications }: Shown): readonly Clarification[] {
  useStore(readings)
  if (contest.Role === 'jury') return clarifications.filter(({ IsOpen }) => IsOpen)
  const read = lastNoted(contest.ID, 'clarifications')
  return clarifications.filter(({ ID, FromTeamID }) => ID > read && FromTeamID === null)
}

const mostShown = 200
const shorten = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)} …` : text)

type Props = {
  readonly shown: Shown
  /** The page that lists all of them: it announces only those that arrive later. */
  readonly isList: boolean
}

/** Stays visible when the page is scrolled, until it is dismissed or read. The live region exists before its text. */
export function NewClarification({ shown, isList }: Props) {
  const { contest, clarifications } = shown
  const [first] = useState(clarifications[0]?.ID ?? 0)
  const cameFrom = useRef<HTMLElement | null>(null)
  const isOfJury = contest.Role === 'jury'
  const dismissed = isOfJury ? lastNoted(contest.ID, 'dismissed') : 0
  const [newest, ...others] = useNews(shown).filter(({ ID }) => ID > dismissed && !(isList && ID <= first))
  const dismiss = () => {
    keep(contest.ID, newest!.ID, isOfJury ? 'dismissed' : 'clarifications')
    const before = cameFrom.current
    if (before?.isConnected) before.focus({ preventScroll: true })
    else focusTitle()
  }
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return (
    <div class="toast-place no-print" role="status">
      {newest && (
        <div
          class="notice toast"
          onFocusCapture={({ currentTarget, relatedTarget }) => {
            const before = relatedTarget as HTMLElement | null
            if (before && !currentTarget.contains(before)) cameFrom.current = before
          }}
        >
          <p>
            <b>{isOfJury ? 'Open question' : newest.ReplyTo === null ? 'The jury says' : 'The jury answers'}:</b>{' '}
            {shorten(newest.Text)}
            {more}
          </p>
          <span class="row">
            {!isList && (
              <a class="button tight" href={contestPath(contest.ID, 'clarifications')}>
                {isOfJury ? 'Answer' : 'Read'}
              </a>
            )}
            <button type="button" class="button tight" onClick={dismiss}>
              Dismiss
            </button>
          </span>
        </div>
      )}
    </div>
  )
}
