/** A sheet as its students see it: the text, the problems with points and what counted, and its rules. */
import type { ResultCell, Results, Sheet, SheetProblem } from '../../api/classes.ts'
import { callAll, openAnswer } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { languageName } from '../../app/session.ts'
import type { ViewProps } from '../../app/view.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { Moment } from '../../parts/due.tsx'
import { Rendered } from '../../parts/rendered.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { ContestWarning } from './contest-warning.tsx'
import { DraftNotice } from './draft-notice.tsx'
import { findShownId, hasFailed } from './marking-order.ts'
import { NewsOfSheet } from './sheet-news.tsx'
import { SheetPage, type Shown } from './sheet-page.tsx'
import { SheetTemplateCard } from './sheet-template.tsx'
import { formatPoints, sumPoints } from './sheet-times.ts'

export const SheetView = ({ params }: ViewProps) => (
  <SheetPage
    id={Number(params.id)}
    tab="sheet"
    acts={({ sheet, isTeacher }) =>
      isTeacher && (
        <a class="button" href={`/-/sheets/${sheet.ID}/copy`}>
          Copy
        </a>
      )
    }
  >
    {(shown, { reload }) => (
      <div class="stack">
        {shown.isTeacher && !shown.sheet.IsPublished && <DraftNotice sheet={shown.sheet} reload={reload} />}
        <Content {...shown} />
      </div>
    )}
  </SheetPage>
)

async function readContent(ID: number, isTeacher: boolean) {
  const [statement, results] = await callAll([
    ['get_sheet_statement', { ID }],
    ...(isTeacher ? [] : [['get_sheet_results', { SheetID: ID }] as const]),
  ])
  return {
    html: openAnswer<{ HTML: string }>(statement!).HTML,
    own: results && openAnswer<Results>(results).RowList[0],
  }
}

type Row = SheetProblem & { readonly cell: ResultCell | undefined }

function Content({ sheet, isTeacher }: Shown) {
  const loaded = useLoad(`sheet content ${sheet.ID} ${isTeacher}`, () => readContent(sheet.ID, isTeacher))
  useWatchedList(loaded.reload, 1_000, { isOff: isTeacher })
  return (
    <Ready of={loaded}>
      {({ html, own }) => {
        const rows = sheet.ProblemList.map((problem, at): Row => ({ ...problem, cell: own?.CellList[at] }))
        const total = formatPoints(sumPoints(sheet))
        return (
          <div class="stack">
            {isTeacher && <ContestWarning problems={sheet.ProblemList} openTime={sheet.OpenTime} />}
            <NewsOfSheet id={sheet.ID} />
            {html && (
              <div class="text-width">
                <Rendered html={html} />
              </div>
            )}
            {sheet.Template && <SheetTemplateCard sheet={sheet} template={sheet.Template} isTeacher={isTeacher} />}
            <div class="card flush scroll">
              {rows.length === 0 ? (
                <Empty title="This sheet has no problems yet" />
              ) : (
                <Table
                  class={own ? 'table fold' : 'table'}
                  rows={rows}
                  columns={columnsFor(own !== undefined)}
                  keyOf={({ UUID }) => UUID}
                />
              )}
            </div>
            <p class="soft">{own ? `${formatPoints(own.Total)} of ${total} points.` : `${total} points in all.`}</p>
            <Comments rows={rows} />
            <Rules sheet={sheet} />
          </div>
        )
      }}
    </Ready>
  )
}

function columnsFor(hasOwn: boolean): readonly Column<Row>[] {
  const problem: Column<Row> = {
    head: 'Problem',
    cell: ({ UUID, DisplayName }) => <a href={`/-/judge/problems/${UUID}`}>{DisplayName}</a>,
  }
  if (!hasOwn) return [problem, { head: 'Points', class: 'number', cell: ({ Points }) => formatPoints(Points) }]
  return [
    problem,
    { head: 'What counts', cell: ({ cell, Points }) => cell && <Standing cell={cell} most={Points} /> },
    {
      head: 'Points',
      class: 'number',
      cell: ({ cell, Points }) =>
        `${!cell?.Points && (cell?.Points == null || cell.WaitingCount > 0) ? '–' : formatPoints(cell.Points)} of ${formatPoints(Points)}`,
    },
  ]
}

function Standing({ cell, most }: { cell: ResultCell; most: number }) {
  const { Points, Tries, IsLate, BestID, WaitingCount, Mark } = cell
  const markedId = findShownId(cell)
  if (Mark?.Points != null)
    return (
      <>
        <span class="badge">Marked by {Mark.SetByName}</span>{' '}
        {markedId !== null && <a href={`/-/judge/submissions/${markedId}`}>submission {markedId}</a>}{' '}
        {Mark.NewerID !== null && (
          <a class="soft small" href={`/-/judge/submissions/${Mark.NewerID}`}>
            submission {Mark.NewerID} came after the mark
          </a>
        )}
      </>
    )
  if (hasFailed(cell))
    return (
      <>
        <a class="badge bad" href={`/-/judge/submissions/${BestID}`}>
          submission {BestID}
        </a>{' '}
        <span class="soft small">Judge failure: not your fault, it does not count</span>
      </>
    )
  if (Points === null) return <span class="soft">Nothing yet</span>
  const tone = Points >= most ? 'good' : Points > 0 || WaitingCount > 0 ? 'wait' : 'bad'
  return (
    <>
      <a class={`badge ${tone}`} href={`/-/judge/submissions/${BestID}`}>
        submission {BestID}
      </a>{' '}
      {WaitingCount > 0 && <span class="badge wait">Being judged</span>}{' '}
      {IsLate && <span class="badge wait">Late</span>}{' '}
      <span class="soft small">{Tries === 1 ? '1 submission' : `${Tries} submissions`}</span>
    </>
  )
}

const Comments = ({ rows }: { rows: readonly Row[] }) => (
  <>
    {rows.map(
      ({ UUID, DisplayName, cell }) =>
        cell?.Mark?.Comment && (
          <blockquote class="remark" key={UUID}>
            <strong>{DisplayName}</strong>: {cell.Mark.Comment} <small class="soft">{cell.Mark.SetByName}</small>
          </blockquote>
        ),
    )}
  </>
)

function Rules({ sheet: { LateUntil, LateFactor, LanguageList, SubmissionLimit, ShowsOthers } }: { sheet: Sheet }) {
  return (
    <ul class="soft small">
      {LateUntil !== null && (
        <li>
          Late submissions count for {formatPoints(LateFactor * 100)} % until <Moment at={LateUntil} />.
        </li>
      )}
      {LanguageList && <li>Languages: {LanguageList.map(languageName).join(', ')}.</li>}
      {SubmissionLimit !== null && <li>At most {SubmissionLimit} submissions to each problem.</li>}
      <li>
        {ShowsOthers
          ? 'Your classmates can see your verdicts, but not your programs.'
          : 'Your classmates can’t see your submissions.'}
      </li>
    </ul>
  )
}
