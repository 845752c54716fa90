/** Statistics of each problem: solved, tried, and first to solve. */
import type { Contest, ContestProblem, Scoreboard } from '../../api/contests.ts'
import type { ViewProps } from '../../app/view.ts'
import { Empty, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useBoard } from '../board/board-data.ts'
import { isRunning } from '../contest-clock.tsx'
import { ProblemLabel } from '../problem-label.tsx'
import { ManagePage } from './manage-page.tsx'

export const ManageStatistics = ({ params }: ViewProps) => (
  <ManagePage id={params.contest!} tab="statistics">
    {({ contest }) => <Statistics contest={contest} />}
  </ManagePage>
)

type Figures = {
  readonly problem: ContestProblem
  readonly solved: number
  readonly tried: number
  readonly wrong: number
  readonly pending: number
  readonly first: string
  readonly median: number | undefined
}

function measure({ ProblemList, RowList }: Scoreboard): readonly Figures[] {
  return ProblemList.map((problem, at) => {
    const cells = RowList.flatMap(({ Name, CellList }) => (CellList[at] ? [{ Name, cell: CellList[at] }] : []))
    const solved = cells.filter(({ cell }) => cell.IsSolved)
    const minutes = solved.flatMap(({ cell: { Minute } }) => (Minute === null ? [] : [Minute])).sort((a, b) => a - b)
    const first = cells.find(({ cell }) => cell.IsFirst)
    return {
      problem,
      solved: solved.length,
      tried: cells.filter(({ cell: { NumJudged, NumPending, IsSolved } }) => IsSolved || NumJudged + NumPending > 0)
        .length,
      wrong: cells.reduce((sum, { cell }) => sum + cell.NumJudged, 0),
      pending: cells.reduce((sum, { cell }) => sum + cell.NumPending, 0),
      first: first ? `${first.Name}${first.cell.Minute === null ? '' : `, minute ${first.cell.Minute}`}` : '',
      median: minutes[Math.floor(minutes.length / 2)],
    }
  })
}

const percent = (part: number, whole: number): string => (whole === 0 ? '0%' : `${Math.round((100 * part) / whole)}%`)

const columnsOf = (teams: number): readonly Column<Figures>[] => [
  {
    head: 'Problem',
    cell: ({ problem }) => (
      <span class="row problem-name">
        <ProblemLabel problem={problem} /> {problem.DisplayName}
      </span>
    ),
  },
  {
    head: 'Solved by',
    class: 'share',
    cell: ({ solved }) => (
      <>
        {solved} ({percent(solved, teams)})
        <span class="share-bar" aria-hidden="true">
          <span style={{ width: percent(solved, teams) }} />
        </span>
      </>
    ),
  },
  { head: 'Tried by', class: 'number', cell: ({ tried }) => tried },
  { head: 'Wrong tries', class: 'number wide-only', cell: ({ wrong }) => wrong },
  { head: 'Pending', class: 'number wide-only', cell: ({ pending }) => pending },
  { head: 'Median minute', class: 'number roomy-only', cell: ({ median }) => median ?? '' },
  { head: 'First', class: 'wide-only', look: 'soft', cell: ({ first }) => first },
]

function Statistics({ contest }: { contest: Contest }) {
  const loaded = useBoard(contest.ID, { isPublic: false, groupId: undefined }, isRunning(contest))
  return (
    <Ready of={loaded}>
      {(board) => (
        <div class="card flush scroll">
          {board.ProblemList.length === 0 ? (
            <Empty title="There are no problems yet" />
          ) : (
            <Table
              rows={measure(board)}
              columns={columnsOf(board.RowList.length)}
              keyOf={({ problem }) => problem.ID}
            />
          )}
        </div>
      )}
    </Ready>
  )
}
