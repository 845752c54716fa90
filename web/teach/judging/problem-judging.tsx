/** How a problem is judged: comparison or checker, interaction, points and groups, time factors. */
import { useRef, useState } from 'preact/hooks'
import { explain, Fault } from '../../api/fault.ts'
import type { KeptJudging } from '../../api/judging.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { useUnsavedGuard } from '../../app/page.ts'
import type { ViewProps } from '../../app/view.ts'
import { Form, Submit, useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { Only, Refusal } from '../../parts/only.tsx'
import { useRevealed } from '../../parts/revealed.ts'
import { Done, Ready } from '../../parts/state.tsx'
import { CheckerTrial, findOwnProgram } from './checker-trial.tsx'
import { ComparisonFields, InteractionFields } from './comparison-fields.tsx'
import { FactorFields } from './factor-fields.tsx'
import { inWords, type JudgingDraft, toChange, toDraft } from './judging-draft.ts'
import { PointsFields } from './points-fields.tsx'

export const ProblemJudging = ({ params }: ViewProps) => (
  <Only who="setters" title="How a problem is judged">
    <View uuid={params.uuid!} />
  </Only>
)

async function readAll(UUID: string) {
  const [{ Problem }, { Judging }] = await Promise.all([
    call('get_problem', { UUID }),
    call('get_problem_judging', { UUID }),
  ])
  return { problem: Problem, judging: Judging }
}

function View({ uuid }: { uuid: string }) {
  const loaded = useLoad(`all judging ${uuid}`, () => readAll(uuid))
  return (
    <Ready of={loaded}>
      {({ problem: { DisplayName, Author }, judging }) =>
        judging.Checker ? (
          <>
            <Heading title={`How ${DisplayName} is judged`} note="Earlier results stay until you rejudge.">
              <a class="button" href={`/-/judge/problems/${uuid}`}>
                View problem
              </a>
              <a class="button" href={`/-/judge/problems/${uuid}/tests`}>
                Tests
              </a>
            </Heading>
            <JudgingForm key={judging.JudgingHash} uuid={uuid} judging={judging as KeptJudging} />
          </>
        ) : (
          <Refusal title={`How ${DisplayName} is judged`}>
            Only its author, {Author.DisplayName}, and admins can change it.
          </Refusal>
        )
      }
    </Ready>
  )
}

function JudgingForm({ uuid, judging }: { uuid: string; judging: KeptJudging }) {
  const act = useAct()
  const [draft, setDraft] = useState<JudgingDraft>(() => toDraft(judging))
  const [saved, setSaved] = useState<object>()
  const turn = useRef(0)
  const program = findOwnProgram(draft)
  const guard = useUnsavedGuard()
  const change = (part: Partial<JudgingDraft>) => {
    guard.note()
    setSaved(undefined)
    setDraft((now) => ({ ...now, ...part }))
  }
  const submit = async () => {
    setSaved(undefined)
    try {
      await call('update_problem_judging', { UUID: uuid, Judging: toChange(draft) })
    } catch (error) {
      throw error instanceof Fault ? new Fault(error.code, inWords(explain(error)), error.data) : error
    }
    guard.clear()
    forgetAll()
    turn.current = Date.now()
    setSaved({})
  }
  return (
    <Form act={act} submit={submit} class="stack text-width">
      {judging.FaultCount > 0 && (
        <p class="notice bad">
          <span>
            The checker or interactor failed {judging.FaultCount === 1 ? 'once' : `${judging.FaultCount} times`}. Its
            messages are shown with the submissions that have the result “Judge failure”.
          </span>
        </p>
      )}
      <ComparisonFields draft={draft} change={change} />
      <InteractionFields draft={draft} change={change} />
      <PointsFields draft={draft} change={change} />
      <FactorFields list={draft.factors} change={(factors) => change({ factors })} />
      <Submit act={act} busy="Saving …">
        Save
      </Submit>
      {saved && <Saved uuid={uuid} what={saved} />}
      {saved && program && <CheckerTrial key={turn.current} uuid={uuid} program={program} turn={turn.current} />}
    </Form>
  )
}

function Saved({ uuid, what }: { uuid: string; what: object }) {
  const place = useRevealed<HTMLDivElement>(what)
  return (
    <div tabIndex={-1} ref={place}>
      <Done>
        Saved. It applies to submissions judged from now on. <a href={`/-/judge/problems/${uuid}`}>Try a solution</a>,
        or <a href={`/-/judge/problems/${uuid}/rejudge`}>rejudge</a> earlier submissions.
      </Done>
    </div>
  )
}
