/** The place of work on a problem: the program, what it does on the examples, and the verdict. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Problem, SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { languageName, useSession } from '../app/session.ts'
import { useAct } from '../parts/form.tsx'
import { Failed } from '../parts/state.tsx'
import { Code } from './code.tsx'
import { OpenFile } from './open-file.tsx'
import { listTaken, useOwnSheets } from './own-sheets.ts'
import { TrialCard, useTrial } from './trial.tsx'
import { Tries } from './tries.tsx'
import { useDraft } from './use-draft.ts'
import { Verdict } from './verdict.tsx'

/** How programs are submitted other than to the problem itself, as in a contest. */
export type Desk = {
  /** Empty: every language. */
  readonly languages: readonly string[]
  submit(content: string, language: string): Promise<SubmissionSnippet>
  /** Shown below, instead of one's own submissions. */
  showTries(latest: number | undefined, judged: number | undefined): ComponentChildren
}

export function Workplace({ problem, desk }: { problem: Problem; desk?: Desk }) {
  const { account, info } = useSession()
  const allowed = desk?.languages ?? []
  const languages = info.SupportedLanguageList.filter(({ Value }) => allowed.length === 0 || allowed.includes(Value))
  const places = useOwnSheets().value?.get(problem.UUID) ?? []
  const taken = desk ? undefined : listTaken(places, Date.now())
  const isOffered = (value: string | undefined) => languages.some(({ Value }) => Value === value)
  const own = useDraft(
    account!.ID,
    problem.UUID,
    languages.map(({ Value }) => Value),
  )
  const { draft, change: setDraft } = own
  const act = useAct()
  const [latest, setLatest] = useState<number>()
  const [judged, setJudged] = useState<number>()
  const revealed = useRef<HTMLDivElement>(null)
  // On a narrow screen it is below the editor. The focus stays: many hand in again and again.
  useEffect(() => {
    if (latest !== undefined) revealed.current?.scrollIntoView({ block: 'nearest' })
  }, [latest, judged])
  const text = draft.texts[draft.language] ?? ''
  const write = (next: string) => setDraft((now) => ({ ...now, texts: { ...now.texts, [now.language]: next } }))

  const submit = () =>
    act.run(async () => {
      const { ID } = await (desk ? desk.submit(text, draft.language) : submitTo(problem, text, draft.language))
      setLatest(ID)
    })
  const trial = useTrial(problem.UUID)
  const isOff = info.Setting.Submission.DisableSubmissionCreation
  const isReady = text.trim() !== '' && !isOff
  const open = (content: string, language: string | undefined) =>
    setDraft((now) => {
      const chosen = language && isOffered(language) ? language : now.language
      return { language: chosen, texts: { ...now.texts, [chosen]: content } }
    })
  return (
    <div class="stack">
      <div class="card flush">
        <div class="row code-bar">
          <label class="row small">
            <span class="soft">Language</span>
            <select
              class="input"
              value={draft.language}
              onChange={(event) => {
                const { value } = event.currentTarget
                setDraft((now) => ({ ...now, language: value }))
              }}
            >
              {languages
                .filter(({ Value }) => !taken || taken.includes(Value) || Value === draft.language)
                .map(({ Value, Name }) => (
                  <option key={Value} value={Value}>
                    {Name}
                  </option>
                ))}
            </select>
          </label>
          <OpenFile isDraftEmpty={text.trim() === ''} open={open} />
          <span class="grow" />
          <button
            type="button"
            class="button"
            disabled={trial.isBusy || !isReady}
            onClick={() => void trial.run(text, draft.language)}
          >
            {trial.isBusy && <span class="spinner" aria-hidden="true" />}
            Run
          </button>
          <button
            type="button"
            class="button main"
            title="Ctrl Enter"
            disabled={act.isBusy || !isReady}
            onClick={() => void submit()}
          >
            {act.isBusy && <span class="spinner" aria-hidden="true" />}
            Submit
          </button>
        </div>
        <Code
          text={text}
          language={draft.language}
          label="Your program. Tab indents; press Escape, then Tab to leave."
          onChange={write}
          onSubmit={() => isReady && void submit()}
        />
      </div>
      {own.other && (
        <div class="notice" role="alert">
          <p>You changed this program in another tab. Which one do you want to keep?</p>
          <div class="row">
            <button type="button" class="button tight" onClick={own.takeOther}>
              Use the other tab’s
            </button>
            <button type="button" class="button tight" onClick={own.keepOwn}>
              Keep this one
            </button>
          </div>
        </div>
      )}
      {taken && !taken.includes(draft.language) && (
        <p class="soft">Your sheet allows only {taken.map(languageName).join(', ')}. Choose another language.</p>
      )}
      {isOff && <p class="soft">Submissions are disabled at the moment.</p>}
      {act.error !== undefined && <Failed error={act.error} />}
      <TrialCard trial={trial} />
      {latest !== undefined && (
        <div class="card" key={latest} ref={revealed}>
          <h2>
            Verdict{' '}
            <a class="small" href={`/-/judge/submissions/${latest}`}>
              submission {latest}
            </a>
          </h2>
          <Verdict
            id={latest}
            limits={{ timeMs: problem.TimeLimitInMillisecond, memoryBytes: problem.MemoryLimitInByte }}
            onFinished={setJudged}
          />
        </div>
      )}
      {desk ? desk.showTries(latest, judged) : <Tries problem={problem.UUID} latest={latest} judged={judged} />}
    </div>
  )
}

async function submitTo({ UUID }: Problem, Content: string, Language: string): Promise<SubmissionSnippet> {
  return (await call('create_submission', { ProblemUUID: UUID, Content, Language })).SubmissionSnippet
}
