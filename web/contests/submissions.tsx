/** Submissions to a contest: a team's own with their verdicts as they arrive; for the jury all of them. */
import type { Contest } from '../api/contests.ts'
import type { SubmissionSnippet } from '../api/operations.ts'
import { languageName } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { ResultBadge } from '../judge/badge.tsx'
import { Points } from '../judge/points.tsx'
import { formatMs } from '../parts/figures.ts'
import { Empty, Ready } from '../parts/state.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { formatClock } from './contest-clock.tsx'
import { ContestPage } from './contest-page.tsx'
import { JurySubmissions } from './jury/submissions.tsx'
import { useTeamSubmissions } from './own-submissions.ts'
import { ProblemLabel } from './problem-label.tsx'
import { contestPath, isJury, problemPath } from './shown.ts'

export const ContestSubmissions = ({ params }: ViewProps) => (
  <ContestPage id={params.contest!} tab="submissions">
    {({ contest }) =>
      isJury(contest) ? (
        <JurySubmissions contest={contest} />
      ) : contest.Role === 'team' ? (
        <TeamSubmissions contest={contest} />
      ) : (
        <div class="card">
          <Empty title="Only teams see their submissions">
            <p>
              See the <a href={contestPath(contest.ID, 'board')}>scoreboard</a>.
            </p>
          </Empty>
        </div>
      )
    }
  </ContestPage>
)

function TeamSubmissions({ contest }: { contest: Contest }) {
  const loaded = useTeamSubmissions(contest)
  const byUuid = new Map(contest.ProblemList.map((problem) => [problem.UUID, problem]))
  const columns: readonly Column<SubmissionSnippet>[] = [
    { head: 'No.', cell: ({ ID }) => <a href={`/-/judge/submissions/${ID}`}>{ID}</a> },
    {
      head: 'Problem',
      cell: ({ Problem }) => {
        const problem = byUuid.get(Problem.UUID)
        return problem ? (
          <a class="row problem-name" href={problemPath(contest.ID, problem)}>
            <ProblemLabel problem={problem} />
            <span class="wide-only">{problem.DisplayName}</span>
          </a>
        ) : (
          Problem.DisplayName
        )
      },
    },
    {
      head: 'Result',
      cell: ({ Status, Result, Score, MaximumScore }) => (
        <>
          <ResultBadge status={Status} result={Result} /> <Points score={Score} maximum={MaximumScore} />
        </>
      ),
    },
    { head: 'By', class: 'roomy-only', look: 'soft', cell: ({ Author }) => Author.DisplayName },
    { head: 'Language', class: 'wide-only', look: 'soft', cell: ({ Language }) => languageName(Language) },
    {
      head: 'Run time',
      class: 'number wide-only',
      look: 'soft',
      cell: ({ CPUTimeInMillisecond: ms }) => ms !== null && formatMs(ms),
    },
    {
      head: 'Contest time',
      class: 'number',
      look: 'soft',
      cell: ({ CreatedTime }) => formatClock(CreatedTime - (contest.StartTime ?? CreatedTime)),
    },
  ]
  return (
    <Ready of={loaded}>
      {(list) => (
        <div class="card flush scroll">
          {list.length === 0 ? (
            <Empty title="Your team has submitted nothing yet">
              <p>
                <a href={contestPath(contest.ID)}>Choose a problem</a> and write a program.
              </p>
            </Empty>
          ) : (
            <Table rows={list} columns={columns} keyOf={({ ID }) => ID} />
          )}
        </div>
      )}
    </Ready>
  )
}
