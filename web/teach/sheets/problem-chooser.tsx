/** The problems of a sheet: found by name or tag, in order, each with its points. */
import { useState } from 'preact/hooks'
import type { SheetProblem } from '../../api/classes.ts'
import { useSession } from '../../app/session.ts'
import { readDecimal } from '../../parts/decimal.ts'
import { DecimalInput } from '../../parts/decimal-input.tsx'
import { ProblemFinder } from '../../parts/problem-finder.tsx'
import { formatPoints, sumPoints } from './sheet-times.ts'

type Props = { readonly list: readonly SheetProblem[]; change(list: readonly SheetProblem[]): void }

export function ProblemChooser({ list, change }: Props) {
  const ownId = useSession().account?.ID
  const move = (at: number, by: -1 | 1) => {
    const next = [...list]
    const [one] = next.splice(at, 1)
    next.splice(at + by, 0, one!)
    change(next)
  }
  const set = (at: number, Points: number) =>
    change(list.map((one, place) => (place === at ? { ...one, Points } : one)))
  return (
    <fieldset class="plain">
      <legend class="label">Problems</legend>
      {list.length > 0 && (
        <ol class="rows chosen">
          {list.map(({ UUID, DisplayName, Points }, at) => (
            <li key={UUID}>
              <a class="grow" href={`/-/judge/problems/${UUID}`} target="_blank" rel="noreferrer">
                {DisplayName}
              </a>
              <Worth name={DisplayName} points={Points} write={(points) => set(at, points)} />
              <button
                type="button"
                class="button tight quiet"
                disabled={at === 0}
                aria-label={`Move ${DisplayName} up`}
                onClick={() => move(at, -1)}
              >
                Up
              </button>
              <button
                type="button"
                class="button tight quiet"
                disabled={at === list.length - 1}
                aria-label={`Move ${DisplayName} down`}
                onClick={() => move(at, 1)}
              >
                Down
              </button>
              <button
                type="button"
                class="button tight quiet"
                aria-label={`Remove ${DisplayName}`}
                onClick={() => change(list.filter((_, place) => place !== at))}
              >
                Remove
              </button>
            </li>
          ))}
        </ol>
      )}
      <p class="soft small">
        {list.length === 0 ? 'No problems yet.' : `${formatPoints(sumPoints({ ProblemList: list }))} points in all.`}
      </p>
      <ProblemFinder
        hint="Search by name or tag. Your unreleased problems are found too."
        action="Add"
        isOffered={({ UUID, IsHeld, Author }) =>
          !list.some((one) => one.UUID === UUID) && (!IsHeld || Author.ID === ownId)
        }
        choose={({ UUID, DisplayName }) => change([...list, { UUID, DisplayName, Points: 10 }])}
      />
    </fieldset>
  )
}

type WorthProps = { readonly name: string; readonly points: number; write(points: number): void }

/** Keeps what is typed, since “2,” is not yet a number. */
function Worth({ name, points, write }: WorthProps) {
  const [text, setText] = useState(String(points))
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label class="row small">
      <span class="soft">Points</span>
      <DecimalInput
        class="input points-field"
        aria-label={`Points of ${name}`}
        maximum={1_000_000}
        value={text}
        required
        write={(now) => {
          setText(now)
          write(readDecimal(now) ?? 0)
        }}
      />
    </label>
  )
}
