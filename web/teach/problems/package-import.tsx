/** Imports a problem package: upload with progress, then what was imported and what was not. */
import { useState } from 'preact/hooks'
import { Fault } from '../../api/fault.ts'
import type { Problem } from '../../api/operations.ts'
import { call } from '../../api/rpc.ts'
import { upload } from '../../api/upload.ts'
import { forgetAll } from '../../app/load.ts'
import { formatBytes, formatMs } from '../../parts/figures.ts'
import { Field } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Only } from '../../parts/only.tsx'
import { Done } from '../../parts/state.tsx'
import { ZipField } from '../tests/zip-field.tsx'
import { HoldChoice } from './held.tsx'
import { JurySolutions } from './jury-solutions.tsx'

type Imported = {
  readonly problem: Problem
  readonly TestCaseCount: number
  readonly FileCount: number
  readonly NoteList: readonly string[]
}

async function importPackage(
  file: File,
  isHeld: boolean,
  timeLimit: string,
  onProgress: (part: number) => void,
): Promise<Imported> {
  const url = `/-/judge/problems?held=${isHeld}${timeLimit && `&timeLimit=${timeLimit}`}`
  const { status, text } = await upload({ url, type: 'application/zip', body: file, onProgress })
  const answer = readJson(text)
  if (status !== 201) throw new Fault(status, answer.message ?? `The server answered ${status}. Try again in a moment.`)
  const { Problem: problem } = await call('get_problem', { UUID: answer.UUID! })
  return { problem, TestCaseCount: answer.TestCaseCount!, FileCount: answer.FileCount!, NoteList: answer.NoteList! }
}

type Answer = Partial<Omit<Imported, 'problem'>> & { readonly UUID?: string; readonly message?: string }

function readJson(text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return {}
  }
}

export const ImportPackage = () => (
  <Only who="setters" title="Import a problem">
    <Importing />
  </Only>
)

function Importing() {
  const [made, setMade] = useState<Imported>()
  const [isHeld, setHeld] = useState(true)
  const [timeLimit, setTimeLimit] = useState('')
  const send = async (file: File, onProgress: (part: number) => void) => {
    setMade(undefined)
    const imported = await importPackage(file, isHeld, timeLimit, onProgress)
    forgetAll()
    setMade(imported)
  }
  return (
    <>
      <Heading title="Import a problem" note="From a problem package: statement, limits, samples and tests." />
      <div class="stack text-width">
        <section class="card" aria-labelledby="package">
          <h2 id="package">Package</h2>
          <p class="soft small">
            A zip of a <a href="/-/docs/judge#problem-packages">problem package</a>. Three kinds are supported: Kattis
            legacy (ICPC) and Kattis 2025-09, each with <code>problem.yaml</code> and tests in <code>data/sample</code>{' '}
            and <code>data/secret</code>; or Polygon, with <code>problem.xml</code>, as a full package with generated
            tests. If any part is invalid, nothing is imported.
          </p>
          <Field label="Time limit (ms)" hint="Leave empty for the package’s own limit (1 second if it has none).">
            <input
              type="number"
              min={1}
              max={60_000}
              value={timeLimit}
              onInput={(event) => setTimeLimit(event.currentTarget.value)}
            />
          </Field>
          <HoldChoice isHeld={isHeld} choose={setHeld} />
          <ZipField advice="remove files that are not needed for judging." send={send} />
        </section>
        {made && <Report made={made} />}
        {made && <JurySolutions key={made.problem.UUID} uuid={made.problem.UUID} />}
      </div>
    </>
  )
}

function Report({ made: { problem, TestCaseCount, FileCount, NoteList } }: { made: Imported }) {
  return (
    <section class="card" aria-labelledby="read">
      <h2 id="read">{problem.DisplayName}</h2>
      <Done>The problem was imported.</Done>
      <p class="label">Imported</p>
      <ul>
        <li>
          limits: {formatMs(problem.TimeLimitInMillisecond)}, {formatBytes(problem.MemoryLimitInByte)}
        </li>
        <li>
          {problem.Description === '' ? 'no statement yet' : `a statement of ${problem.Description.length} characters`}
        </li>
        <li>
          {TestCaseCount} tests, {problem.ExampleList.length} of them as examples
        </li>
        {FileCount > 0 && <li>{FileCount} other files, kept with the problem</li>}
      </ul>
      {NoteList.length > 0 && (
        <>
          <p class="label">Not imported</p>
          <ul>
            {NoteList.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
      <div class="row">
        <a class="button main" href={`/-/judge/problems/${problem.UUID}`}>
          View it and try a solution
        </a>
        <a class="button" href={`/-/judge/problems/${problem.UUID}/edit`}>
          Edit
        </a>
        <a class="button" href={`/-/judge/problems/${problem.UUID}/tests`}>
          Tests
        </a>
      </div>
    </section>
  )
}
