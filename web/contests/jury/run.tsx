/** Running a contest: the checklist before the start, the freeze, the end, and making the results final. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Contest } from '../../api/contests.ts'
import { call } from '../../api/rpc.ts'
import { isAdmin, useSession } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { Moment } from '../../parts/due.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { isOver, isRunning } from '../contest-clock.tsx'
import { serverNow } from '../server-clock.ts'
import { contestPath } from '../shown.ts'
import { useTeams } from '../teams.ts'
import { Ending } from './ending.tsx'
import { Freezing } from './freezing.tsx'
import { ManagePage } from './manage-page.tsx'

export const ManageRun = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="run">
    {({ contest }, { reload }) => (
      <div class="stack text-width">
        {contest.State === 'before' && <Preparing contest={contest} reload={reload} />}
        {contest.State !== 'before' && <Freezing contest={contest} reload={reload} />}
        {isRunning(contest) && <Ending contest={contest} reload={reload} />}
        {isOver(contest) && <Finalizing contest={contest} reload={reload} />}
      </div>
    )}
  </ManagePage>
)

type Props = { readonly contest: Contest; reload(): void }

const startSoonMs = 60_000

function Preparing({ contest, reload }: Props) {
  const act = useAct()
  const teams = useTeams(contest.ID)
  const list = teams.value
  const without = list?.filter(({ AccountNameList }) => AccountNameList.length === 0).length ?? 0
  const start = () =>
    act.run(async () => {
      const missing = [
        ...(contest.ProblemList.length === 0 ? ['problems'] : []),
        ...(list?.length === 0 ? ['teams'] : []),
      ].join(' and ')
      const warning = missing && `The contest has no ${missing}. `
      const text = `${warning}The problems open to the teams in one minute. The start can’t be moved after that.`
      const title = missing ? `Start in one minute without ${missing}?` : 'Start in one minute?'
      if (!(await ask({ title, text, action: 'Start' }))) return
      await call('update_contest', { ID: contest.ID, StartTime: serverNow() + startSoonMs, CountdownPause: null })
      reload()
    })
  const path = (part: string) => contestPath(contest.ID, part)
  return (
    <section class="card" aria-labelledby="preparing">
      <h2 id="preparing">Before the start</h2>
      <ul class="rows">
        <Check isDone={contest.StartTime !== null} href={path('manage/settings')}>
          {contest.StartTime === null ? (
            'No start time is set'
          ) : (
            <>
              Starts <Moment at={contest.StartTime} />
            </>
          )}
        </Check>
        <Check isDone={contest.ProblemList.length > 0} href={path('manage/problems')}>
          {contest.ProblemList.length === 0
            ? 'There are no problems'
            : contest.ProblemList.length === 1
              ? '1 problem'
              : `${contest.ProblemList.length} problems`}
        </Check>
        <Check isDone={contest.IsOpen || (list !== undefined && list.length > 0)} href={path('manage/teams')}>
          {list === undefined
            ? 'Counting teams …'
            : list.length === 0
              ? contest.IsOpen
                ? 'No teams yet; everyone can join'
                : 'There are no teams'
              : `${list.length} ${list.length === 1 ? 'team' : 'teams'}`}
        </Check>
        {without > 0 && (
          <Check isDone={false} href={path('manage/teams')}>
            {without === 1 ? '1 team has no account' : `${without} teams have no account`}
          </Check>
        )}
        <Check isDone={contest.IsPublic} href={path('manage/settings')}>
          {contest.IsPublic
            ? 'Everyone can see the contest'
            : 'Private: only teams, staff and jury can see the contest'}
        </Check>
      </ul>
      <div class="row below">
        <button type="button" class="button" disabled={act.isBusy} onClick={() => void start()}>
          Start in one minute
        </button>
      </div>
      <FailedAct act={act} />
    </section>
  )
}

type CheckProps = { readonly isDone: boolean; readonly href: string; readonly children: ComponentChildren }

const Check = ({ isDone, href, children }: CheckProps) => (
  <li>
    <span class={isDone ? 'good-text' : 'wait-text'} aria-hidden="true">
      {isDone ? '✓' : '•'}
    </span>
    <span class="grow">{children}</span>
    <a href={href}>Change</a>
  </li>
)

function Finalizing({ contest, reload }: Props) {
  const session = useSession()
  const act = useAct()
  const [bronze, setBronze] = useState(0)
  const finalize = async () => {
    const text = 'The contest can’t be changed after that unless an admin reopens it.'
    if (!(await ask({ title: 'Make the results final?', text, action: 'Make final' }))) return
    await call('finalize_contest', { ContestID: contest.ID, B: bronze })
    reload()
  }
  const reopen = () =>
    act.run(async () => {
      await call('reopen_contest', { ContestID: contest.ID })
      reload()
    })
  if (contest.FinalizedTime !== null)
    return (
      <section class="card" aria-labelledby="final">
        <h2 id="final">Results</h2>
        <p>
          Final since <Moment at={contest.FinalizedTime} />.
        </p>
        {isAdmin(session) && (
          <button type="button" class="button" disabled={act.isBusy} onClick={() => void reopen()}>
            Reopen
          </button>
        )}
        <FailedAct act={act} />
      </section>
    )
  return (
    <section class="card" aria-labelledby="final">
      <h2 id="final">Results</h2>
      <p class="soft">
        First, all submissions must be judged, all questions answered, and all rejudgings applied or cancelled.
      </p>
      <Form act={act} submit={finalize}>
        <Field label="More bronze medals" hint="Use this if several teams share the last medal rank.">
          <input
            type="number"
            min={0}
            max={10_000}
            value={bronze}
            onInput={(event) => setBronze(Number(event.currentTarget.value))}
            required
          />
        </Field>
        <Submit act={act} busy="Checking …">
          Make results final
        </Submit>
      </Form>
    </section>
  )
}
