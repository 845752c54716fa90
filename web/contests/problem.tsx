/** A problem of a contest: its statement, and the editor for the team's program. */
import type { Contest, ContestProblem } from '../api/contests.ts'
import { isMissing } from '../api/fault.ts'
import type { Problem, SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { useLoad } from '../app/load.ts'
import { languageName, useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { ResultBadge } from '../judge/badge.tsx'
import { Points } from '../judge/points.tsx'
import { Examples, readProblem } from '../judge/problem.tsx'
import { type Desk, Workplace } from '../judge/workplace.tsx'
import { formatBytes, formatMs } from '../parts/figures.ts'
import { Rendered } from '../parts/rendered.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { isOver, isRunning } from './contest-clock.tsx'
import { ContestPage } from './contest-page.tsx'
import { useTeamSubmissions } from './own-submissions.ts'
import { ProblemLabel } from './problem-label.tsx'
import { contestPath, problemPath } from './shown.ts'

export const ContestProblemView = ({ params }: ViewProps) => (
  <ContestPage id={params.contest!} tab="home">
    {({ contest }) => <Place contest={contest} id={params.problem!} />}
  </ContestPage>
)

function Place({ contest, id }: { contest: Contest; id: string }) {
  const { account } = useSession()
  const problem = contest.ProblemList.find((one) => one.ID === id)
  const here = contestPath(contest.ID, `problems/${id}`)
  if (!problem)
    return (
      <div class="card">
        <Empty title="This problem is not available">
          <p>
            {contest.State === 'before'
              ? 'The problems open when the contest starts. Stay on this page.'
              : 'The contest has no such problem.'}
          </p>
        </Empty>
      </div>
    )
  return (
    <>
      <nav class="problem-row" aria-label="Problems of the contest">
        {contest.ProblemList.map((one) => (
          <a
            key={one.ID}
            href={problemPath(contest.ID, one)}
            title={one.DisplayName}
            aria-label={`${one.Label}: ${one.DisplayName}`}
            {...(one.ID === id && { 'aria-current': 'page' as const })}
          >
            <ProblemLabel problem={one} />
          </a>
        ))}
      </nav>
      {account ? (
        <Statement contest={contest} place={problem} />
      ) : (
        <p class="notice">
          <span>
            <a href={`/-/sign-in?to=${encodeURIComponent(here)}`}>Sign in</a> to read the problem.
          </span>
        </p>
      )}
    </>
  )
}

function Statement({ contest, place }: { contest: Contest; place: ContestProblem }) {
  const loaded = useLoad(`problem ${place.UUID}`, () => readProblem(place.UUID))
  if (loaded.value === undefined && isMissing(loaded.error))
    return (
      <div class="card">
        <Empty title="Only teams can read the statement">
          <p>Everyone can read it after the contest ends.</p>
        </Empty>
      </div>
    )
  return (
    <Ready of={loaded}>
      {({ problem, html }) => (
        <div class="solve">
          <section class="stack" aria-labelledby="statement">
            <div>
              <h2 id="statement">
                {place.Label}. {problem.DisplayName}
              </h2>
              <p class="soft">
                {formatMs(problem.TimeLimitInMillisecond)} · {formatBytes(problem.MemoryLimitInByte)}
              </p>
            </div>
            <Rendered html={html} />
            <Examples problem={problem} />
          </section>
          <section aria-label="Your program">
            <Bench contest={contest} place={place} problem={problem} />
          </section>
        </div>
      )}
    </Ready>
  )
}

function Bench({ contest, place, problem }: { contest: Contest; place: ContestProblem; problem: Problem }) {
  if (contest.Role === 'team' && isRunning(contest))
    return <TeamBench contest={contest} place={place} problem={problem} />
  if (isOver(contest) || contest.Role === 'jury')
    return (
      <div class="stack">
        <p class="notice">
          <span>
            {isOver(contest)
              ? 'The contest is over. Submissions here are practice and do not change the scoreboard.'
              : 'Submissions by the jury do not count in the contest.'}
          </span>
        </p>
        <Workplace problem={problem} />
      </div>
    )
  return <p class="soft">Only teams of the contest can submit here.</p>
}

function TeamBench({ contest, place, problem }: { contest: Contest; place: ContestProblem; problem: Problem }) {
  const own = useTeamSubmissions(contest)
  const desk: Desk = {
    languages: contest.LanguageList.map(({ Language }) => Language),
    async submit(Content, Language) {
      const given = { ContestID: contest.ID, ProblemID: place.ID, Content, Language }
      const { SubmissionSnippet } = await call('create_contest_submission', given)
      own.reload()
      return SubmissionSnippet
    },
    showTries: () => <TeamTries list={(own.value ?? []).filter((one) => one.Problem.UUID === problem.UUID)} />,
  }
  return <Workplace problem={problem} desk={desk} />
}

function TeamTries({ list }: { list: readonly SubmissionSnippet[] }) {
  const { account } = useSession()
  if (list.length === 0) return null
  return (
    <div class="card flush">
      <h2 class="card-title">Your team’s submissions to this problem</h2>
      <table class="table small">
        <tbody>
          {list.map((one) => (
            <tr key={one.ID}>
              <td>
                <a href={`/-/judge/submissions/${one.ID}`}>
                  <ResultBadge status={one.Status} result={one.Result} />
                </a>{' '}
                <Points score={one.Score} maximum={one.MaximumScore} />
              </td>
              <td class="soft">
                {languageName(one.Language)}
                {one.Author.ID !== account?.ID && ` · ${one.Author.DisplayName}`}
              </td>
              <td class="soft number">
                <When at={one.CreatedTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
