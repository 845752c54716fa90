/** The results of a class: every student, their points in each published sheet, and totals. */
import { useMemo, useState } from 'preact/hooks'
import type { ClassResultRow, ClassResults } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { SortHead } from '../../parts/sort-head.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { LeftBadge } from '../sheets/left-badge.tsx'
import { formatPoints } from '../sheets/sheet-times.ts'
import { ClassPage, classPath } from './class-page.tsx'

const fileOf = (id: string, format: string): string => `/-/judge/classes/${encodeURIComponent(id)}/results.${format}`

export const ClassResultsView = ({ params }: ViewProps) => (
  <ClassPage
    id={params.class!}
    tab="results"
    acts={
      <>
        <a class="button" href={fileOf(params.class!, 'xlsx')} download>
          Spreadsheet (xlsx)
        </a>
        <a class="button" href={fileOf(params.class!, 'csv')} download>
          CSV
        </a>
      </>
    }
  >
    {({ ID }) => <View id={ID} />}
  </ClassPage>
)

function View({ id }: { id: string }) {
  const loaded = useLoad(`class results ${id}`, () => call('get_class_results', { ClassID: id }))
  useWatchedList(loaded.reload, 5_000)
  return (
    <Ready of={loaded}>
      {(results) => {
        if (results.SheetList.length === 0)
          return (
            <div class="card">
              <Empty title="No sheet is published yet">
                <p>
                  <a href={classPath(id)}>Sheets of the class</a>
                </p>
              </Empty>
            </div>
          )
        if (results.RowList.length === 0)
          return (
            <div class="card">
              <Empty title="There are no students in this class yet" />
            </div>
          )
        return <Grid results={results} />
      }}
    </Ready>
  )
}

/** By the name, the total, or the n-th sheet. */
type Order = { readonly by: 'name' | 'total' | number; readonly isDown: boolean }

const compareNames = (a: ClassResultRow, b: ClassResultRow): number =>
  a.RosterName.localeCompare(b.RosterName) || a.AccountName.localeCompare(b.AccountName)

function sortRows(rows: readonly ClassResultRow[], { by, isDown }: Order): readonly ClassResultRow[] {
  const pointsOf = (row: ClassResultRow) => (by === 'total' ? row.Total : (row.TotalList[by as number] ?? -1))
  const sorted = [...rows].sort((a, b) =>
    by === 'name' ? compareNames(a, b) : pointsOf(a) - pointsOf(b) || compareNames(b, a),
  )
  return isDown ? sorted.reverse() : sorted
}

function Grid({ results: { SheetList, RowList } }: { results: ClassResults }) {
  const [order, setOrder] = useState<Order>({ by: 'name', isDown: false })
  const rows = useMemo(() => sortRows(RowList, order), [RowList, order])
  const turn = (by: Order['by']) => setOrder((now) => ({ by, isDown: now.by === by ? !now.isDown : by !== 'name' }))
  const sortOf = (by: Order['by']) => (order.by !== by ? 'none' : order.isDown ? 'descending' : 'ascending')
  const most = SheetList.reduce((sum, { Points }) => sum + Points, 0)
  return (
    <section class="card flush scroll" tabIndex={0} aria-label="Results">
      <table class="table grid results">
        <thead>
          <tr>
            <SortHead sort={sortOf('name')} turn={() => turn('name')}>
              Student
            </SortHead>
            <SortHead sort={sortOf('total')} turn={() => turn('total')} isNumber>
              Total of {formatPoints(most)}
            </SortHead>
            {SheetList.map(({ ID, Title, Points }, at) => (
              <SortHead
                key={ID}
                sort={sortOf(at)}
                turn={() => turn(at)}
                isNumber
                below={
                  <a href={`/-/sheets/${ID}/results`} aria-label={`Results of ${Title}`}>
                    Results
                  </a>
                }
              >
                {Title}{' '}
                <span class="soft">
                  ({formatPoints(Points)} {Points === 1 ? 'point' : 'points'})
                </span>
              </SortHead>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ AccountName, RosterName, HasLeft, TotalList, Total, WaitingCount }) => (
            <tr key={AccountName}>
              <th scope="row">
                {RosterName} <small class="soft">{AccountName}</small> {HasLeft && <LeftBadge />}
              </th>
              <td class="number">
                {WaitingCount > 0 && <span class="badge wait">Being judged</span>}{' '}
                <strong>{formatPoints(Total)}</strong>
              </td>
              {TotalList.map((points, at) => (
                <td class="number" key={SheetList[at]!.ID}>
                  {points === null ? <span class="soft">–</span> : formatPoints(points)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
