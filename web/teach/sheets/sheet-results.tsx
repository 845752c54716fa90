/** The results of a sheet as they come in: every student, sorted by any column, with marks and comments in place. */
import { Fragment } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ResultCell, ResultRow, Results, SheetProblem } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { SortHead } from '../../parts/sort-head.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { LeftBadge } from './left-badge.tsx'
import { MarkForm } from './mark-form.tsx'
import { compareNames, findShownId, hasFailed } from './marking-order.ts'
import { NewsOfSheet } from './sheet-news.tsx'
import { SheetPage } from './sheet-page.tsx'
import { formatPoints, sumPoints } from './sheet-times.ts'
import { StoreResults } from './store-results.tsx'

export const SheetResults = ({ params }: ViewProps) => (
  <SheetPage
    id={Number(params.id)}
    tab="results"
    acts={({ sheet }) => (
      <>
        <a class="button" href={`/-/judge/sheets/${sheet.ID}/results.xlsx`} download>
          Spreadsheet (xlsx)
        </a>
        <a class="button" href={`/-/judge/sheets/${sheet.ID}/results.csv`} download>
          CSV
        </a>
      </>
    )}
  >
    {({ sheet }) => (
      <div class="stack">
        <NewsOfSheet id={sheet.ID} />
        <View id={sheet.ID} />
        <StoreResults id={sheet.ID} />
      </div>
    )}
  </SheetPage>
)

function View({ id }: { id: number }) {
  const loaded = useLoad(`results ${id}`, () => call('get_sheet_results', { SheetID: id }))
  useWatchedList(loaded.reload, 1_000)
  return (
    <Ready of={loaded}>
      {(results) =>
        results.RowList.length === 0 ? (
          <div class="card">
            <Empty title="There are no students in this class yet" />
          </div>
        ) : (
          <Grid id={id} results={results} reload={loaded.reload} />
        )
      }
    </Ready>
  )
}

/** By the name, the total, or the n-th problem. */
type Order = { readonly by: 'name' | 'total' | number; readonly isDown: boolean }

function sortRows(rows: readonly ResultRow[], { by, isDown }: Order): readonly ResultRow[] {
  // Problems without a submission sort below 0 points.
  const pointsOf = (row: ResultRow) => (by === 'total' ? row.Total : (row.CellList[by as number]?.Points ?? -1))
  const sorted = [...rows].sort((a, b) =>
    by === 'name' ? compareNames(a, b) : pointsOf(a) - pointsOf(b) || compareNames(b, a),
  )
  return isDown ? sorted.reverse() : sorted
}

const markId = (login: string, uuid: string): string => `mark-${login}-${uuid}`

type GridProps = { readonly id: number; readonly results: Results; reload(): void }

function Grid({ id, results: { ProblemList, RowList }, reload }: GridProps) {
  const [order, setOrder] = useState<Order>({ by: 'name', isDown: false })
  const [marked, setMarked] = useState<{ login: string; uuid: string }>()
  const rows = useMemo(() => sortRows(RowList, order), [RowList, order])
  const turn = (by: Order['by']) => setOrder((now) => ({ by, isDown: now.by === by ? !now.isDown : by !== 'name' }))
  const sortOf = (by: Order['by']) => (order.by !== by ? 'none' : order.isDown ? 'descending' : 'ascending')
  const last = useRef<string | undefined>(undefined)
  useEffect(() => {
    // The form is closed: back to where it was opened.
    if (!marked && last.current) document.getElementById(last.current)?.focus()
    last.current = marked && markId(marked.login, marked.uuid)
  }, [marked])
  const row = marked && RowList.find(({ AccountName }) => AccountName === marked.login)
  const at = marked ? ProblemList.findIndex(({ UUID }) => UUID === marked.uuid) : -1
  const most = sumPoints({ ProblemList })
  const place = row ? rows.indexOf(row) : -1
  const formRow = useRef<HTMLTableRowElement>(null)
  /** Where the form was in the window when its buttons moved it to another student. */
  const formTop = useRef<number | undefined>(undefined)
  const goTo = (by: 1 | -1) => {
    const other = rows[place + by]
    return (
      marked &&
      other &&
      (() => {
        formTop.current = formRow.current?.getBoundingClientRect().top
        setMarked({ ...marked, login: other.AccountName })
      })
    )
  }
  // The form stays under the pointer, and the rows move past it.
  useLayoutEffect(() => {
    if (formTop.current !== undefined && formRow.current)
      scrollBy({ top: formRow.current.getBoundingClientRect().top - formTop.current, behavior: 'instant' })
    formTop.current = undefined
  }, [marked])
  const form = row && at >= 0 && (
    // Below its row: nothing above moves, so the second click of a double click hits the same button.
    <tr ref={formRow} class="mark-row">
      <td colSpan={2 + ProblemList.length}>
        <MarkForm
          key={`${row.AccountName} ${at}`}
          sheetId={id}
          row={row}
          problem={ProblemList[at]!}
          cell={row.CellList[at]!}
          previous={goTo(-1)}
          next={goTo(1)}
          saveAndNext={goTo(1)}
          close={() => setMarked(undefined)}
          reload={reload}
        />
      </td>
    </tr>
  )
  return (
    <div class="stack">
      <Failures rows={RowList} />
      <Waiting rows={RowList} />
      <section class="card flush scroll marked-in-place" tabIndex={0} aria-label="Results">
        <table class="table grid results">
          <thead>
            <tr>
              <SortHead sort={sortOf('name')} turn={() => turn('name')}>
                Student
              </SortHead>
              <SortHead sort={sortOf('total')} turn={() => turn('total')} isNumber>
                Total of {formatPoints(most)}
              </SortHead>
              {ProblemList.map(({ UUID, DisplayName, Points }, place) => (
                <SortHead
                  key={UUID}
                  sort={sortOf(place)}
                  turn={() => turn(place)}
                  isNumber
                  below={
                    <a href={`/-/sheets/${id}/similarity/${UUID}`} aria-label={`Similarity of ${DisplayName}`}>
                      Similarity
                    </a>
                  }
                >
                  {DisplayName}{' '}
                  <span class="soft">
                    ({formatPoints(Points)} {Points === 1 ? 'point' : 'points'})
                  </span>
                </SortHead>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ AccountName, RosterName, HasLeft, CellList, Total }) => (
              <Fragment key={AccountName}>
                <tr>
                  <th scope="row">
                    {RosterName} <small class="soft">{AccountName}</small> {HasLeft && <LeftBadge />}
                  </th>
                  <td class="number">
                    <strong>{formatPoints(Total)}</strong>
                  </td>
                  {ProblemList.map((problem, place) => (
                    <td class="number" key={problem.UUID}>
                      <Cell
                        cell={CellList[place]!}
                        sheetId={id}
                        markId={markId(AccountName, problem.UUID)}
                        problem={problem}
                        name={`${RosterName} (${AccountName})`}
                        mark={HasLeft ? undefined : () => setMarked({ login: AccountName, uuid: problem.UUID })}
                      />
                    </td>
                  ))}
                </tr>
                {marked?.login === AccountName && form}
              </Fragment>
            ))}
          </tbody>
        </table>
      </section>
      <p class="soft small">
        Select a cell to open the submission that counted, or was marked. “Mark” overrides the points or adds a comment.
        “Similarity” compares the programs of a problem.
      </p>
    </div>
  )
}

function Failures({ rows }: { rows: readonly ResultRow[] }) {
  const count = rows.reduce((sum, row) => sum + row.CellList.filter(hasFailed).length, 0)
  if (count === 0) return null
  return (
    <p class="notice" role="alert">
      <span>
        The judge failed at {count === 1 ? 'the work in 1 cell' : `the work in ${count} cells`}, which has no points
        yet. Open a submission to see why; then mend the problem and judge it again.
      </span>
    </p>
  )
}

function Waiting({ rows }: { rows: readonly ResultRow[] }) {
  const count = rows.reduce((sum, row) => row.CellList.reduce((all, cell) => all + cell.WaitingCount, sum), 0)
  if (count === 0) return null
  return (
    <p class="notice" role="status">
      <span>
        {count === 1 ? '1 submission is' : `${count} submissions are`} being judged and count 0 points until then. A
        download made now has a column “Being judged”.
      </span>
    </p>
  )
}

type CellProps = {
  readonly cell: ResultCell
  readonly sheetId: number
  readonly markId: string
  readonly problem: SheetProblem
  /** Includes the account name, because two students can have the same name. */
  readonly name: string
  /** Undefined if the student has left. */
  readonly mark: (() => void) | undefined
}

function Cell({ cell, sheetId, markId: id, problem, name, mark }: CellProps) {
  const { Points, Tries, IsLate, WaitingCount, Mark } = cell
  const shownId = findShownId(cell)
  const isWaiting = WaitingCount > 0
  const tone = Points === null ? '' : Points >= problem.Points ? 'good' : Points > 0 || isWaiting ? 'wait' : 'bad'
  const words = Points === null || (Points === 0 && isWaiting) ? '–' : formatPoints(Points)
  return (
    <span class="result-cell">
      {isWaiting && <span class="badge wait">Being judged</span>}
      {hasFailed(cell) && <span class="badge bad">Judge failure</span>}
      {IsLate && <span class="badge wait">Late</span>}
      {Mark?.Comment && (
        <span class="small soft" title={Mark.Comment}>
          Comment
        </span>
      )}
      {Mark?.Points != null && (
        <span class="badge" title={`By ${Mark.SetByName} (${Mark.SetBy})`}>
          Marked
        </span>
      )}
      {Mark?.NewerID != null && (
        <a
          class="badge wait"
          href={`/-/judge/submissions/${Mark.NewerID}?sheet=${sheetId}`}
          title="Marked for an earlier submission"
          aria-label={`Marked for an earlier submission: newer submission ${Mark.NewerID} of ${name}`}
        >
          Newer submission
        </a>
      )}
      {shownId === null ? (
        <span class={Points === null ? 'soft' : `badge ${tone}`}>{words}</span>
      ) : (
        <a
          class={`badge ${tone}`}
          href={`/-/judge/submissions/${shownId}?sheet=${sheetId}`}
          title={Tries === 1 ? '1 submission' : `${Tries} submissions`}
          aria-label={`${words} points, submission ${shownId} of ${name}`}
        >
          {words}
        </a>
      )}
      {mark ? (
        <button
          type="button"
          id={id}
          class="button quiet tight"
          // Rows above may have closed a form: the second click of a double click can hit another student's button.
          onClick={({ detail }) => detail < 2 && mark()}
          aria-label={`Mark ${problem.DisplayName} of ${name}`}
        >
          Mark
        </button>
      ) : (
        <span class="button quiet tight no-button" aria-hidden="true">
          Mark
        </span>
      )}
    </span>
  )
}
