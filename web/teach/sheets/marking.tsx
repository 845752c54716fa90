/** Marking from one student's submission to the next: the way back to the results, the neighbours, and the mark. */
import { useEffect, useRef } from 'preact/hooks'
import type { ResultRow, Results, Sheet } from '../../api/classes.ts'
import { callAll, openAnswer } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { go, setQuery, usePlace } from '../../app/location.ts'
import { MarkForm } from './mark-form.tsx'
import { findNeighbours, findShownId } from './marking-order.ts'
import { formatPoints } from './sheet-times.ts'

type Props = {
  readonly sheetId: number
  readonly login: string
  readonly uuid: string
  readonly submissionId: number
}

async function read(id: number) {
  const [sheet, results] = await callAll([
    ['get_sheet', { ID: id }],
    ['get_sheet_results', { SheetID: id }],
  ])
  return { sheet: openAnswer<{ Sheet: Sheet }>(sheet!).Sheet, results: openAnswer<Results>(results!) }
}

/** Shows nothing where the submission is not of this sheet. */
export function Marking({ sheetId, login, uuid, submissionId }: Props) {
  const loaded = useLoad(`marking ${sheetId}`, () => read(sheetId))
  // In the address: the next student's page opens the form as well.
  const isOpen = usePlace().query.has('mark')
  const setOpen = (opens: boolean) => setQuery({ mark: opens ? '1' : undefined })
  const opener = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  if (!loaded.value) return null
  const { sheet, results } = loaded.value
  const at = results.ProblemList.findIndex(({ UUID }) => UUID === uuid)
  const row = results.RowList.find(({ AccountName }) => AccountName === login)
  if (at < 0 || !row) return null
  const { previous, next, place, total } = findNeighbours(results.RowList, login, at)
  const problem = results.ProblemList[at]!
  const cell = row.CellList[at]!
  const linkTo = (other: ResultRow) =>
    `/-/judge/submissions/${findShownId(other.CellList[at]!)}?sheet=${sheetId}${isOpen ? '&mark=1' : ''}`
  return (
    <div class="stack marking">
      <nav class="row" aria-label="Students">
        <a class="button tight" href={`/-/sheets/${sheetId}/results`}>
          Results of {sheet.Title}
        </a>
        {previous && (
          <a class="button tight" href={linkTo(previous)}>
            Previous student
          </a>
        )}
        {next && (
          <a class="button tight" href={linkTo(next)}>
            Next student
          </a>
        )}
        <span class="soft small">
          Student {place} of {total}
          {cell.Points !== null && ` · ${formatPoints(cell.Points)} of ${formatPoints(problem.Points)} points`}
        </span>
        {!isOpen && !row.HasLeft && (
          <button type="button" class="button tight" ref={opener} onClick={() => setOpen(true)}>
            Mark
          </button>
        )}
      </nav>
      {isOpen && !row.HasLeft && (
        <MarkForm
          key={`${login} ${uuid}`}
          sheetId={sheetId}
          row={row}
          problem={problem}
          cell={cell}
          submissionId={submissionId}
          saveAndNext={next && (() => void go(linkTo(next)))}
          close={() => setOpen(false)}
          reload={loaded.reload}
        />
      )}
    </div>
  )
}
