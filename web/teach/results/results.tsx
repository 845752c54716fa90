/** The results of a class: person by problem, as they come in, and the grade sheet as a data set. */
import { useLoad } from '../../app/load.ts'
import { finished, resultName } from '../../judge/results.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { Heading } from '../../parts/heading.tsx'
import { Only } from '../../parts/only.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { GradeSheet } from './grade-sheet.tsx'
import { type Cell, makeStandings, mostRead, readSubmissions, type Standings } from './standings.ts'

export function Results() {
  return (
    <Only who="setters" title="Results">
      <View />
    </Only>
  )
}

function View() {
  const loaded = useLoad('results', async () => {
    const submissions = await readSubmissions()
    return { standings: makeStandings(submissions), isCut: submissions.length >= mostRead }
  })
  useWatchedList(loaded.reload, 1_000)
  return (
    <>
      <Heading title="Results" note="Who solved what. Updates as submissions are judged.">
        <a class="button" href="#grade-sheet">
          Grade sheet
        </a>
      </Heading>
      <p class="notice">
        <span>
          Only released problems are counted here. Due times, marks and points of sheets are left out: for these, and
          for problems that are not released, see the results of each sheet under <a href="/-/classes">Classes</a>.
        </span>
      </p>
      <Ready of={loaded}>
        {({ standings, isCut }) => (
          <>
            {isCut && <p class="soft">From the latest {mostRead.toLocaleString('en')} submissions.</p>}
            {standings.people.length === 0 ? (
              <div class="card">
                <Empty title="No submissions to released problems yet">
                  <p>Results appear here as soon as somebody submits to one.</p>
                </Empty>
              </div>
            ) : (
              <Grid standings={standings} />
            )}
          </>
        )}
      </Ready>
      <GradeSheet isEmpty={loaded.value?.standings.people.length === 0} />
    </>
  )
}

const Grid = ({ standings: { problems, people } }: { standings: Standings }) => (
  <div class="card flush scroll">
    <table class="table grid">
      <thead>
        <tr>
          <th scope="col">Person</th>
          <th scope="col" class="number">
            Solved
          </th>
          {problems.map(({ UUID, DisplayName }) => (
            <th scope="col" key={UUID}>
              <a href={`/-/judge/problems/${UUID}`}>{DisplayName}</a>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {people.map(({ person, cells, solved }) => (
          <tr key={person.ID}>
            <th scope="row">
              <a href={`/-/judge/submissions?by=${person.ID}`}>{person.DisplayName}</a>{' '}
              <small class="soft">{person.AccountName}</small>
            </th>
            <td class="number">{solved}</td>
            {problems.map(({ UUID }) => (
              <td key={UUID}>
                <GridCell cell={cells.get(UUID)} to={`/-/judge/submissions?by=${person.ID}&problem=${UUID}`} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function GridCell({ cell, to }: { cell: Cell | undefined; to: string }) {
  if (!cell) return null
  const isWaiting = cell.best.Status !== finished
  const words = cell.isSolved
    ? `Solved${cell.needed > 1 ? ` (${cell.needed} tries)` : ''}`
    : isWaiting
      ? 'Being judged'
      : `${cell.tries} ${cell.tries === 1 ? 'try' : 'tries'}`
  return (
    <a
      href={to}
      class={`badge ${cell.isSolved ? 'good' : isWaiting ? 'wait' : 'bad'}`}
      title={resultName(cell.best.Result)}
    >
      {words}
      {cell.points !== undefined && ` · ${cell.points} points`}
    </a>
  )
}
