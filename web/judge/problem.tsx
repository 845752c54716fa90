/** A problem: its statement on one side, the program and its verdict on the other. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Judging } from '../api/judging.ts'
import type { Problem } from '../api/operations.ts'
import { call, callAll, openAnswer } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import type { ViewProps } from '../app/routes.ts'
import { ownsProblem, useSession } from '../app/session.ts'
import { Copy } from '../parts/copy.tsx'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Rendered } from '../parts/rendered.tsx'
import { Failed, Ready } from '../parts/state.tsx'
import { HeldNotice } from '../teach/held.tsx'
import { Code } from './code.tsx'
import { lastLanguage, readDraft, writeDraft } from './drafts.ts'
import { describePoints } from './points.tsx'
import { Tries } from './tries.tsx'
import { Verdict } from './verdict.tsx'

type Shown = { readonly problem: Problem; readonly html: string; readonly judging: Judging | undefined }

async function readProblem(UUID: string): Promise<Shown> {
  const [problem, statement, judging] = await callAll([
    ['get_problem', { UUID }],
    ['get_problem_statement', { UUID }],
    ['get_problem_judging', { UUID }],
  ])
  return {
    problem: openAnswer<{ Problem: Problem }>(problem!).Problem,
    html: openAnswer<{ HTML: string }>(statement!).HTML,
    judging: (judging?.result as { Judging: Judging } | undefined)?.Judging,
  }
}

export function ProblemView({ params }: ViewProps) {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View uuid={params.uuid!} /> : null
}

function View({ uuid }: { uuid: string }) {
  const session = useSession()
  const loaded = useLoad(`problem ${uuid}`, () => readProblem(uuid))
  return (
    <Ready of={loaded}>
      {({ problem, html, judging }) => (
        <>
          <Heading
            title={problem.DisplayName}
            note={
              <>
                {formatMs(problem.TimeLimitInMillisecond)} · {formatBytes(problem.MemoryLimitInByte)} ·{' '}
                {judging?.IsScored && `${describePoints(judging)} · `}by {problem.Author.DisplayName}
              </>
            }
          >
            {ownsProblem(session, problem) && <OwnerLinks uuid={uuid} />}
          </Heading>
          {ownsProblem(session, problem) && <HeldNotice uuid={uuid} />}
          <div class="solve">
            <section class="stack" aria-label="Statement">
              <Rendered html={html} />
              <Examples problem={problem} />
            </section>
            <section aria-label="Your program">
              <Workplace problem={problem} />
            </section>
          </div>
        </>
      )}
    </Ready>
  )
}

const OwnerLinks = ({ uuid }: { uuid: string }) => (
  <>
    <a class="button" href={`/-/judge/problems/${uuid}/edit`}>
      Edit
    </a>
    <a class="button" href={`/-/judge/problems/${uuid}/tests`}>
      Tests
    </a>
    <a class="button" href={`/-/judge/problems/${uuid}/judging`}>
      Judging
    </a>
    <a class="button" href={`/-/judge/problems/${uuid}/rejudge`}>
      Rejudge
    </a>
  </>
)

function Examples({ problem: { ExampleList } }: { problem: Problem }) {
  return (
    <>
      {ExampleList.map((example, at) => (
        <div class="example" key={at}>
          <h2>{ExampleList.length > 1 ? `Example ${at + 1}` : 'Example'}</h2>
          <div class="example-pair">
            <Sample title="Input" text={example.Input} what={`the input of example ${at + 1}`} />
            <Sample title="Output" text={example.Output} what={`the output of example ${at + 1}`} />
          </div>
        </div>
      ))}
    </>
  )
}

const Sample = ({ title, text, what }: { title: string; text: string; what: string }) => (
  <div class="sample">
    <div class="row">
      <h3 class="grow">{title}</h3>
      <Copy text={text} what={what} />
    </div>
    <pre tabIndex={0}>{text}</pre>
  </div>
)

function Workplace({ problem }: { problem: Problem }) {
  const { account, info } = useSession()
  const languages = info.SupportedLanguageList
  const isOffered = (value: string | undefined) => languages.some(({ Value }) => Value === value)
  const [draft, setDraft] = useState(() => {
    const kept = readDraft(account!.ID, problem.UUID)
    const wished = [kept?.language, lastLanguage(), 'python'].find(isOffered)
    return { language: wished ?? languages[0]?.Value ?? 'python', texts: kept?.texts ?? {} }
  })
  const act = useAct()
  const [latest, setLatest] = useState<number>()
  const [judged, setJudged] = useState<number>()
  const revealed = useRef<HTMLDivElement>(null)
  // On a narrow screen it is below the editor. The focus stays: many hand in again and again.
  useEffect(() => {
    if (latest !== undefined) revealed.current?.scrollIntoView({ block: 'nearest' })
  }, [latest, judged])
  useEffect(() => writeDraft(account!.ID, problem.UUID, draft), [account, problem.UUID, draft])
  const text = draft.texts[draft.language] ?? ''
  const write = (next: string) => setDraft((now) => ({ ...now, texts: { ...now.texts, [now.language]: next } }))

  const submit = () =>
    act.run(async () => {
      const given = { ProblemUUID: problem.UUID, Content: text, Language: draft.language }
      const { SubmissionSnippet } = await call('create_submission', given)
      setLatest(SubmissionSnippet.ID)
    })
  const isOff = info.Setting.Submission.DisableSubmissionCreation
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
              {languages.map(({ Value, Name }) => (
                <option key={Value} value={Value}>
                  {Name}
                </option>
              ))}
            </select>
          </label>
          <span class="grow" />
          <span class="soft small wide-only">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
          <button
            type="button"
            class="button main"
            disabled={act.isBusy || text.trim() === '' || isOff}
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
          onSubmit={() => text.trim() !== '' && !isOff && void submit()}
        />
      </div>
      {isOff && <p class="soft">Submissions are disabled at the moment.</p>}
      {act.error !== undefined && <Failed error={act.error} />}
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
      <Tries problem={problem.UUID} latest={latest} judged={judged} />
    </div>
  )
}
