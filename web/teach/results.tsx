/** The results of a class: person by problem, as they come in, and the grade sheet as a data set. */
import { useEffect, useState } from 'preact/hooks'
import { makeDataset, pushItems } from '../api/datasets.ts'
import { watchAll } from '../api/live.ts'
import { useLoad } from '../app/load.ts'
import { useSignedIn } from '../app/page.ts'
import { finished, resultName } from '../judge/results.ts'
import { useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Done, Empty, Failed, Ready } from '../parts/state.tsx'
import { type Cell, makeStandings, mostRead, readSubmissions, type Standings } from './standings.ts'

export function Results() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

function View() {
  const loaded = useLoad('results', async () => {
    const submissions = await readSubmissions()
    return { standings: makeStandings(submissions), isCut: submissions.length >= mostRead }
  })
  const { reload } = loaded
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = watchAll(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        reload()
      }, 1_000)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [reload])
  return (
    <>
      <Heading title="Results" note="Who solved what. It changes as submissions are judged.">
        {loaded.value && <GradeSheet standings={loaded.value.standings} />}
      </Heading>
      <Ready of={loaded}>
        {({ standings, isCut }) => (
          <>
            {isCut && <p class="soft">From the latest {mostRead.toLocaleString('en')} submissions.</p>}
            {standings.people.length === 0 ? (
              <div class="card">
                <Empty title="Nothing has been handed in yet">
                  <p>Results appear here as soon as somebody submits.</p>
                </Empty>
              </div>
            ) : (
              <Grid standings={standings} />
            )}
          </>
        )}
      </Ready>
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
              <a href={`/-/judge/submissions?by=${person.ID}`}>{person.DisplayName}</a>
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
    </a>
  )
}

/** A data set only grows, so each sheet is one of its own, named by its moment. */
function GradeSheet({ standings }: { standings: Standings }) {
  const act = useAct()
  const [made, setMade] = useState<{ id: string; name: string }>()
  const make = () =>
    act.run(async () => {
      const name = `results-${new Date().toISOString().slice(0, 19).replace(/\D+/g, '-')}`
      const { id } = await makeDataset(name)
      await pushItems(id, JSON.stringify(toItems(standings)))
      setMade({ id, name })
    })
  return (
    <>
      {act.error !== undefined && <Failed error={act.error} />}
      {made ? (
        <Done>
          <a href={`/-/datasets/${made.id}`}>{made.name}</a> ·{' '}
          <a href={`/v2/datasets/${made.id}/items?format=xlsx&attachment=1`} download>
            as a spreadsheet
          </a>
        </Done>
      ) : (
        <button
          type="button"
          class="button"
          disabled={act.isBusy || standings.people.length === 0}
          onClick={() => void make()}
        >
          Make a grade sheet
        </button>
      )}
    </>
  )
}

function toItems({ problems, people }: Standings): object[] {
  return people.flatMap(({ person, cells }) =>
    problems.map(({ UUID, DisplayName }) => {
      const cell = cells.get(UUID)
      return {
        person: person.DisplayName,
        account: person.AccountName,
        problem: DisplayName,
        solved: cell?.isSolved ?? false,
        result: cell ? resultName(cell.best.Result) : 'Not tried',
        tries: cell?.tries ?? 0,
        firstSuccess: cell?.isSolved ? new Date(cell.best.FinishedTime ?? cell.best.CreatedTime).toISOString() : null,
        timeMs: cell?.best.CPUTimeInMillisecond ?? null,
        memoryBytes: cell?.best.PeakMemoryInByte ?? null,
      }
    }),
  )
}
