/** A problem from a package that others wrote: sent with progress, then what was read and what was not. */
import { useState } from 'preact/hooks'
import type { Problem } from '../api/operations.ts'
import { callWithProgress } from '../api/upload.ts'
import { forgetAll } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Heading } from '../parts/heading.tsx'
import { Done } from '../parts/state.tsx'
import { HoldChoice, hold } from './held.tsx'
import { toBase64, ZipField } from './zip-field.tsx'

type Imported = { readonly Problem: Problem; readonly TestCaseCount: number; readonly NoteList: readonly string[] }

export function ImportPackage() {
  const isSignedIn = useSignedIn()
  const [made, setMade] = useState<Imported>()
  const [isHeld, setHeld] = useState(true)
  if (!isSignedIn) return null
  const send = async (file: File, onProgress: (part: number) => void) => {
    setMade(undefined)
    const params = new Blob(['{"ZippedPackage":"', await toBase64(file), '"}'])
    const imported = await callWithProgress<Imported>('import_problem_package', params, onProgress)
    if (isHeld) await hold(imported.Problem.UUID, true)
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
            A zip of a <a href="/-/docs/judge#problem-packages">problem package</a> of the Kattis kind: a folder with{' '}
            <code>problem.yaml</code>, a statement, and tests in <code>data/sample</code> and <code>data/secret</code>.
            All of it becomes a problem, or nothing where a part is amiss.
          </p>
          <HoldChoice isHeld={isHeld} choose={setHeld} />
          <ZipField advice="take out what is not needed for judging." send={send} />
        </section>
        {made && <Report made={made} />}
      </div>
    </>
  )
}

function Report({ made: { Problem, TestCaseCount, NoteList } }: { made: Imported }) {
  return (
    <section class="card" aria-labelledby="read">
      <h2 id="read">{Problem.DisplayName}</h2>
      <Done>The problem is there.</Done>
      <p class="label">What was read</p>
      <ul>
        <li>
          limits: {formatMs(Problem.TimeLimitInMillisecond)}, {formatBytes(Problem.MemoryLimitInByte)}
        </li>
        <li>
          {Problem.Description === ''
            ? 'no statement: write one'
            : `a statement of ${Problem.Description.length} characters`}
        </li>
        <li>
          {TestCaseCount} tests, {Problem.ExampleList.length} of them as examples
        </li>
      </ul>
      {NoteList.length > 0 && (
        <>
          <p class="label">What was not</p>
          <ul>
            {NoteList.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
      <div class="row">
        <a class="button main" href={`/-/judge/problems/${Problem.UUID}`}>
          See it and try a solution
        </a>
        <a class="button" href={`/-/judge/problems/${Problem.UUID}/edit`}>
          Edit
        </a>
        <a class="button" href={`/-/judge/problems/${Problem.UUID}/tests`}>
          Tests
        </a>
      </div>
    </section>
  )
}
