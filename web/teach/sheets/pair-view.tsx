/**
 * Two programs side by side, or one above the other on a phone: what they share has the same number and colour in
 * both.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AlikePair, AlikePart, AlikeSide } from '../../api/classes.ts'
import type { Submission } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { languageName } from '../../app/session.ts'
import { CodeTable, type LineMark, type Lines } from '../../parts/code-table.tsx'
import { Ready } from '../../parts/state.tsx'
import { Name, percent } from './alike.tsx'

type Props = {
  readonly pair: AlikePair
  /** The position, such as "2 of 5". */
  readonly place: string
  /** Addresses of the list, and of the pairs beside this one. */
  readonly all: string
  readonly previous: string | undefined
  readonly next: string | undefined
}

export function PairView({ pair, place, all, previous, next }: Props) {
  const { Left, Right, PartList, Similarity } = pair
  const ids = [Left.SubmissionID, Right.SubmissionID]
  const loaded = useLoad(`programs ${ids.join(' ')}`, () =>
    Promise.all(ids.map(async (ID) => (await call('get_submission', { ID })).Submission)),
  )
  const [at, setAt] = useState(0)
  const title = useRef<HTMLHeadingElement>(null)
  // The link that led here is gone, so the focus moves to the pair's title.
  useEffect(() => title.current?.focus({ preventScroll: true }), [])
  return (
    <section class="stack" aria-labelledby="pair">
      <nav class="row" aria-label="Pairs">
        <a class="button tight" href={all}>
          All pairs
        </a>
        {previous && (
          <a class="button tight" href={previous}>
            More similar pair
          </a>
        )}
        {next && (
          <a class="button tight" href={next}>
            Less similar pair
          </a>
        )}
        <span class="soft small">Pair {place}</span>
      </nav>
      <h3 id="pair" class="pair-title" ref={title} tabIndex={-1}>
        <Name side={Left} /> and <Name side={Right} />: {percent(Similarity)} similar
      </h3>
      {PartList.length === 0 ? (
        <p class="soft">The shared parts repeat too often to show line by line, such as rows of a table.</p>
      ) : (
        <PartChoice parts={PartList} at={at} choose={setAt} />
      )}
      <Ready of={loaded}>
        {([left, right]) => (
          <div class="programs">
            <Program side={Left} submission={left!} parts={PartList} at={at} linesOf={leftLines} />
            <Program side={Right} submission={right!} parts={PartList} at={at} linesOf={rightLines} />
          </div>
        )}
      </Ready>
    </section>
  )
}

const leftLines = ({ LeftStart, LeftEnd }: AlikePart): Lines => [LeftStart, LeftEnd]
const rightLines = ({ RightStart, RightEnd }: AlikePart): Lines => [RightStart, RightEnd]

type ChoiceProps = { readonly parts: readonly AlikePart[]; readonly at: number; choose(at: number): void }

/** Both programs are scrolled to the part. */
const PartChoice = ({ parts, at, choose }: ChoiceProps) => (
  <div class="row">
    <label class="row small">
      <span>Shared part</span>
      <select class="input small" value={at} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {parts.map((part, place) => (
          <option key={place} value={place}>
            {place + 1} of {parts.length}: {sayLines(leftLines(part))} and {sayLines(rightLines(part))}
          </option>
        ))}
      </select>
    </label>
    <button type="button" class="button tight" disabled={at === 0} onClick={() => choose(at - 1)}>
      Previous part
    </button>
    <button type="button" class="button tight" disabled={at === parts.length - 1} onClick={() => choose(at + 1)}>
      Next part
    </button>
  </div>
)

const sayLines = ([first, last]: Lines): string => (first === last ? `line ${first}` : `lines ${first}–${last}`)

type ProgramProps = {
  readonly side: AlikeSide
  readonly submission: Submission
  readonly parts: readonly AlikePart[]
  readonly at: number
  linesOf(part: AlikePart): Lines
}

function Program({ side, submission: { Language, Content }, parts, at, linesOf }: ProgramProps) {
  const marks = useMemo(() => markLines(parts, linesOf), [parts, linesOf])
  const shown = parts[at]
  const name = `Program of ${side.RosterName} (${side.AccountName})`
  return (
    <div class="card flush">
      <p class="program-head">
        <span class="grow">
          <Name side={side} />
        </span>
        <a class="small" href={`/-/judge/submissions/${side.SubmissionID}`}>
          Submission {side.SubmissionID}
        </a>
        <span class="small soft">{languageName(Language)}</span>
      </p>
      <section class="code-pane" tabIndex={0} aria-label={name}>
        <CodeTable
          text={Content}
          path={`program.${endings[Language] ?? 'txt'}`}
          caption={name}
          selected={shown && linesOf(shown)}
          markOf={(line) => marks.get(line)}
        />
      </section>
    </div>
  )
}

/** The key of the colours for the code table. */
const endings: Readonly<Record<string, string>> = {
  ...{ c: 'c', cpp: 'cpp', java: 'java', python: 'py', go: 'go', rust: 'rs', javascript: 'js', typescript: 'ts' },
}

const colours = 6

/** A line of several parts has the look of the first. The number stands where a part begins. */
function markLines(parts: readonly AlikePart[], linesOf: (part: AlikePart) => Lines): Map<number, LineMark> {
  const marks = new Map<number, LineMark>()
  for (const [place, part] of parts.entries()) {
    const [first, last] = linesOf(part)
    for (let line = first; line <= last; line++) {
      const mark = marks.get(line)
      const begins = line === first ? [mark?.sign, String(place + 1)].filter(Boolean).join(' ') : mark?.sign
      marks.set(line, { look: mark?.look ?? `shared shared-${place % colours}`, sign: begins })
    }
  }
  return marks
}
