/** Finds problems by name or tag, as it is typed, with a button beside each. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { FoundProblem } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { describePoints } from '../judge/points.tsx'
import { Field } from './form.tsx'
import { useNextFocus } from './next-focus.ts'
import { FailedAct } from './state.tsx'

const pauseMs = 250

type Props = {
  readonly hint: string
  /** What the button beside a problem says. */
  readonly action: string
  isOffered(problem: FoundProblem): boolean
  choose(problem: FoundProblem): void
}

export function ProblemFinder({ hint, action, isOffered, choose }: Props) {
  const [text, setText] = useState('')
  const [found, setFound] = useState<readonly FoundProblem[]>()
  const [error, setError] = useState<unknown>()
  const isFirst = useRef(true)
  useEffect(() => {
    let isCurrent = true
    const find = async () => {
      try {
        const list = await call('find_problem_snippet_list', { Text: text, Offset: 0, Limit: 8 })
        if (isCurrent) setFound(list.ProblemSnippetList)
        if (isCurrent) setError(undefined)
      } catch (fault) {
        if (isCurrent) setError(fault)
      }
    }
    const timer = setTimeout(find, isFirst.current ? 0 : pauseMs)
    isFirst.current = false
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  const offered = found?.filter(isOffered)
  const next = useNextFocus<HTMLUListElement>((offered ?? []).map(({ UUID }) => UUID))
  return (
    <>
      <Field label="Find a problem" hint={hint}>
        <input
          type="search"
          value={text}
          maxLength={256}
          onInput={(event) => setText(event.currentTarget.value)}
          // Enter here is no wish to send the form around it.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      </Field>
      <FailedAct act={{ error }} />
      {offered && (
        <ul class="rows" aria-label="Problems found" tabIndex={-1} ref={next.place}>
          {offered.map((problem) => (
            <li key={problem.UUID}>
              <span class="grow">
                {problem.DisplayName} {problem.IsHeld && <span class="badge wait">Not released</span>}{' '}
                <span class="soft small">
                  {[...(problem.IsScored ? [describePoints(problem)] : []), ...problem.TagList].join(', ')}
                </span>
              </span>
              <button
                type="button"
                class="button tight"
                data-next
                aria-label={`${action} ${problem.DisplayName}`}
                onClick={() => {
                  next.note(problem.UUID)
                  choose(problem)
                }}
              >
                {action}
              </button>
            </li>
          ))}
          {offered.length === 0 && <li class="soft">{describeNone(text, found!)}</li>}
        </ul>
      )}
    </>
  )
}

function describeNone(text: string, found: readonly FoundProblem[]): string {
  if (text.trim() !== '') return found.length === 0 ? 'No problem matches.' : 'No other problem matches.'
  return found.length === 0
    ? 'There are no problems yet.'
    : 'The newest problems are all chosen. Search for others by name or tag.'
}
