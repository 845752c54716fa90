/**
 * A program that is run on the examples, or on an input of one's own, without being handed in: what it wrote and how
 * it ended.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Trial, TrialRun } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { useAct } from '../parts/form.tsx'
import { Failed } from '../parts/state.tsx'
import { resultName, toneOf } from './results.ts'

export type TrialState = {
  readonly isBusy: boolean
  readonly error: unknown
  readonly outcome: { readonly trial: Trial; readonly isOwn: boolean } | undefined
  /** Undefined: the examples. */
  readonly input: string | undefined
  setInput(input: string | undefined): void
  run(content: string, language: string): Promise<void>
}

export function useTrial(problem: string): TrialState {
  const act = useAct()
  const [input, setInput] = useState<string>()
  const [outcome, setOutcome] = useState<TrialState['outcome']>()
  const running = useRef<AbortController | undefined>(undefined)
  // Leaving the page cancels the request, which ends the run.
  useEffect(() => () => running.current?.abort(), [])
  return {
    isBusy: act.isBusy,
    error: act.error,
    outcome,
    input,
    setInput,
    run: (Content, Language) =>
      act.run(async () => {
        const controller = new AbortController()
        running.current = controller
        const given = { ProblemUUID: problem, Content, Language, ...(input !== undefined && { Input: input }) }
        const trial = await call('run_program', given, controller.signal)
        setOutcome({ trial, isOwn: input !== undefined })
      }),
  }
}

export function TrialCard({ trial: { isBusy, error, outcome, input, setInput } }: { trial: TrialState }) {
  const isOwn = input !== undefined
  return (
    <section class="card stack run-card" aria-label="Run">
      <div class="row">
        <label class="row small">
          <input
            type="checkbox"
            checked={isOwn}
            onChange={(event) => setInput(event.currentTarget.checked ? '' : undefined)}
          />
          Run with my own input
        </label>
        {!isOwn && <span class="soft small">Otherwise Run uses the examples.</span>}
      </div>
      {isOwn && (
        <textarea
          class="input mono"
          rows={4}
          aria-label="Input"
          value={input}
          spellcheck={false}
          onInput={(event) => setInput(event.currentTarget.value)}
        />
      )}
      {error !== undefined && !isBusy && <Failed error={error} />}
      {isBusy && (
        <p role="status" class="soft small">
          Waiting for an executor or running
        </p>
      )}
      {outcome && !isBusy && <Outcome {...outcome} />}
    </section>
  )
}

function Outcome({ trial, isOwn }: NonNullable<TrialState['outcome']>) {
  const { Result, CompilerOutput, RunList } = trial
  const passed = RunList.filter((run) => run.Result === 1).length
  const title =
    Result !== 1 ? resultName(Result) : isOwn ? 'Finished' : RunList.length > 0 ? 'Examples passed' : 'Compiled'
  return (
    <div class="stack">
      <div role="status" class={`verdict-head ${toneOf(Result)}`}>
        <strong>{title}</strong>
        {!isOwn && RunList.length > 0 && (
          <span>
            {passed} of {RunList.length} passed
          </span>
        )}
      </div>
      {!isOwn && RunList.length === 0 && Result === 1 && <p class="soft small">The problem has no examples.</p>}
      {CompilerOutput && (
        <>
          <p class="label">Compiler output</p>
          <pre tabIndex={0}>{CompilerOutput}</pre>
        </>
      )}
      {RunList.map((run, at) => (
        <Run key={at} run={run} title={isOwn ? 'Output' : `Example ${at + 1}`} isOwn={isOwn} />
      ))}
    </div>
  )
}

const Run = ({ run, title, isOwn }: { run: TrialRun; title: string; isOwn: boolean }) => (
  <details open={isOwn || run.Result !== 1}>
    <summary>
      {!isOwn && <span class={`dot ${toneOf(run.Result)}`} aria-hidden="true" />}
      {title} {!isOwn && <span class="soft">{run.Result === 0 ? 'Not run' : resultName(run.Result)}</span>}{' '}
      {run.Result > 0 && (
        <span class="soft small">
          {formatMs(run.CPUTimeInMillisecond)} · {formatBytes(run.PeakMemoryInByte)}
        </span>
      )}
    </summary>
    <div class="stack">
      {!isOwn && <Text title="Input" text={run.Input} />}
      {!isOwn && <Text title="Expected output" text={run.Output} />}
      {run.Result > 0 && (
        <Text title={isOwn ? '' : 'Your output'} text={run.Stdout || '(nothing)'} isCut={run.IsStdoutCut} />
      )}
      {run.TeamMessage && <Text title="Checker" text={run.TeamMessage} />}
      {run.Stderr && <Text title="stderr" text={run.Stderr} />}
    </div>
  </details>
)

const Text = ({ title, text, isCut = false }: { title: string; text: string; isCut?: boolean }) => (
  <div class="sample">
    {title && <h3>{title}</h3>}
    <pre tabIndex={0}>{text}</pre>
    {isCut && <p class="soft small">The output is longer: only its beginning is shown.</p>}
  </div>
)
