/** A contest's home: its problems with the team's progress, times, rules, and joining. */
import { plural } from '../../src/lib/text/plural.ts'
import type { Contest, ContestProblem } from '../api/contests.ts'
import type { SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { languageName, useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { Moment, zoneName } from '../parts/due.tsx'
import { useAct } from '../parts/form.tsx'
import { Empty, FailedAct } from '../parts/state.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { formatDuration, isOver, isRunning } from './contest-clock.tsx'
import { ContestPage } from './contest-page.tsx'
import { stateOf, useTeamSubmissions } from './own-submissions.ts'
import { ProblemLabel } from './problem-label.tsx'
import { contestPath, isJury, problemPath } from './shown.ts'
import { mayBeVirtual } from './virtual/virtual.tsx'

export const ContestHome = ({ params }: ViewProps) => (
  <ContestPage id={params.contest!} tab="home">
    {({ contest }, { reload }) => (
      <div class="side">
        <div class="stack">
          <Joining contest={contest} reload={reload} />
          {contest.Role === 'team' ? <OwnProblems contest={contest} /> : <Problems contest={contest} />}
        </div>
        <Facts contest={contest} />
      </div>
    )}
  </ContestPage>
)

function Joining({ contest, reload }: { contest: Contest; reload(): void }) {
  const { account } = useSession()
  const act = useAct()
  const path = contestPath(contest.ID)
  if (isOver(contest) || contest.Role !== 'public') return null
  if (!contest.IsOpen)
    return account ? null : (
      <p class="notice">
        <span>
          Taking part? <a href={`/-/sign-in?to=${encodeURIComponent(path)}`}>Sign in</a> with your team’s account.
        </span>
      </p>
    )
  if (!account)
    return (
      <section class="card" aria-label="Take part">
        <p>This contest is open: everyone can take part.</p>
        <a class="button main" href={`/-/sign-in?to=${encodeURIComponent(path)}`}>
          Sign in to join
        </a>
      </section>
    )
  const join = () =>
    act.run(async () => {
      await call('join_contest', { ContestID: contest.ID })
      reload()
    })
  return (
    <section class="card" aria-label="Take part">
      <p>This contest is open. You take part individually, as {account.DisplayName}.</p>
      <button type="button" class="button main" disabled={act.isBusy} onClick={() => void join()}>
        {act.isBusy && <span class="spinner" aria-hidden="true" />}
        Join the contest
      </button>
      <FailedAct act={act} />
    </section>
  )
}

function OwnProblems({ contest }: { contest: Contest }) {
  const own = useTeamSubmissions(contest)
  return <Problems contest={contest} own={own.value ?? []} />
}

function OwnState({ problem, own }: { problem: ContestProblem; own: readonly SubmissionSnippet[] }) {
  const { isSolved, tries, waiting } = stateOf(problem, own)
  if (isSolved) return <span class="badge good">Solved</span>
  if (waiting > 0)
    return (
      <span class="badge wait">
        <span class="spinner" aria-hidden="true" /> Judging
      </span>
    )
  return tries > 0 ? <span class="badge bad">{tries === 1 ? '1 try' : `${tries} tries`}</span> : null
}

function Problems({ contest, own }: { contest: Contest; own?: readonly SubmissionSnippet[] }) {
  const { ID, ProblemList, State, Role, ShowsProblemsToPublic } = contest
  const areOpen = Role === 'jury' || Role === 'team' || ShowsProblemsToPublic || isOver(contest)
  const columns: readonly Column<ContestProblem>[] = [
    {
      head: 'Problem',
      cell: (problem) => (
        <span class="row problem-name">
          <ProblemLabel problem={problem} />
          {areOpen ? <a href={problemPath(ID, problem)}>{problem.DisplayName}</a> : problem.DisplayName}
        </span>
      ),
    },
    ...(own
      ? [{ head: 'Your team', cell: (problem: ContestProblem) => <OwnState problem={problem} own={own} /> }]
      : []),
  ]
  return (
    <section class="card flush" aria-labelledby="contest-problems">
      <h2 class="card-title" id="contest-problems">
        Problems
      </h2>
      {ProblemList.length === 0 ? (
        <Empty title={isJury(contest) ? 'There are no problems yet' : 'The problems are not open yet'}>
          <p>
            {isJury(contest) ? (
              <a href={contestPath(ID, 'manage/problems')}>Choose the problems</a>
            ) : State === 'before' ? (
              'They appear here when the contest starts. Stay on this page.'
            ) : (
              'The contest has no problems.'
            )}
          </p>
        </Empty>
      ) : (
        <Table rows={ProblemList} columns={columns} keyOf={(problem) => problem.ID} />
      )}
      {isOver(contest) && ProblemList.length > 0 && (
        <p class="padded soft small">
          The contest is over. You can submit to its problems as practice; the scoreboard does not change.
          {mayBeVirtual(contest) && (
            <>
              {' '}
              Or <a href={contestPath(ID, 'virtual')}>take part virtually</a>, on your own clock.
            </>
          )}
        </p>
      )}
    </section>
  )
}

const styleNames = { icpc: 'ICPC: problems solved, then time', ioi: 'IOI: points' } as const

function Facts({ contest }: { contest: Contest }) {
  const { StartTime, EndTime, Duration, FreezeDuration, Style, PenaltyMinute, LanguageList, State } = contest
  const isFrozen = State === 'frozen'
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">About</h2>
      {contest.FormalName && <p>{contest.FormalName}</p>}
      <dl class="facts">
        <dt>Start</dt>
        <dd>{StartTime === null ? 'Not set' : <Moment at={StartTime} />}</dd>
        {EndTime !== null && (
          <>
            <dt>End</dt>
            <dd>
              <Moment at={EndTime} />
            </dd>
          </>
        )}
        <dt>Length</dt>
        <dd>{formatDuration(Duration)}</dd>
        <dt>Scoring</dt>
        <dd>
          {styleNames[Style]}
          {Style === 'icpc' && PenaltyMinute > 0 && `, ${plural(PenaltyMinute, 'penalty minute')} per wrong try`}
        </dd>
        <dt>Languages</dt>
        <dd>
          {LanguageList.length === 0
            ? 'All'
            : LanguageList.map(({ Language, TimeFactor }) =>
                TimeFactor === 1 ? languageName(Language) : `${languageName(Language)} (time × ${TimeFactor})`,
              ).join(', ')}
        </dd>
        {FreezeDuration ? (
          <>
            <dt>Freeze</dt>
            <dd>The last {formatDuration(FreezeDuration)}</dd>
          </>
        ) : null}
      </dl>
      {isFrozen && isRunning(contest) && (
        <p class="soft small">
          The scoreboard is frozen. Your own verdicts arrive as before; those of others are revealed after the end.
        </p>
      )}
      <p class="soft small">Times are in your time zone, {zoneName()}.</p>
    </section>
  )
}
