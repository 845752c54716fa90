/** The sheets of a class: for its teachers with their states and acts, for a student with what is due and what counted. */
import { plural } from '../../../src/lib/text/plural.ts'
import type { Class, Sheet } from '../../api/classes.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import type { ViewProps } from '../../app/view.ts'
import { Countdown, Moment, useNow } from '../../parts/due.tsx'
import { Empty, Ready } from '../../parts/state.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { readOwnSheets, SheetRows } from '../sheets/due-sheets.tsx'
import { formatPoints, stateOf, sumPoints } from '../sheets/sheet-times.ts'
import { ClassOrganisations } from './class-organisations.tsx'
import { ClassPage, classPath, useTeaches } from './class-page.tsx'

export const ClassSheets = ({ params }: ViewProps) => (
  <ClassPage
    id={params.class!}
    tab="sheets"
    acts={
      <a class="button main" href={classPath(params.class!, 'new-sheet')}>
        New sheet
      </a>
    }
  >
    {(one) => <Sheets one={one} />}
  </ClassPage>
)

function Sheets({ one }: { one: Class }) {
  const teaches = useTeaches()
  return teaches(one) ? <TaughtSheets one={one} /> : <AttendedSheets one={one} />
}

function AttendedSheets({ one }: { one: Class }) {
  const loaded = useLoad(`attended ${one.ID}`, () => readOwnSheets([one]))
  return (
    <Ready of={loaded}>
      {(sheets) => (
        <>
          <div class="card flush">
            {sheets.length === 0 ? (
              <Empty title="There is nothing to do yet">
                <p>Sheets appear here when they open.</p>
              </Empty>
            ) : (
              <SheetRows sheets={sheets} />
            )}
          </div>
          <ClassOrganisations sheets={sheets.map(({ sheet }) => sheet)} />
        </>
      )}
    </Ready>
  )
}

const columns: readonly Column<Sheet>[] = [
  { head: 'Sheet', cell: ({ ID, Title }) => <a href={`/-/sheets/${ID}`}>{Title}</a> },
  { head: 'State', cell: (sheet) => <State sheet={sheet} /> },
  {
    head: 'Due',
    class: 'roomy-only',
    look: 'soft',
    cell: ({ DueTime }) => (DueTime === null ? 'No deadline' : <Moment at={DueTime} />),
  },
  { head: 'Problems', class: 'number wide-only', look: 'soft', cell: ({ ProblemList }) => ProblemList.length },
  { head: 'Points', class: 'number wide-only', look: 'soft', cell: (sheet) => formatPoints(sumPoints(sheet)) },
  {
    head: <span class="hidden-text">Results</span>,
    look: 'acts',
    cell: ({ ID, Title }) => (
      <a class="button tight quiet" href={`/-/sheets/${ID}/results`} aria-label={`Results of ${Title}`}>
        Results
      </a>
    ),
  },
]

function TaughtSheets({ one }: { one: Class }) {
  const loaded = useLoad(`sheets ${one.ID}`, async () => (await call('get_sheet_list', { ClassID: one.ID })).SheetList)
  return (
    <Ready of={loaded}>
      {(sheets) => (
        <>
          <div class="card flush scroll">
            {sheets.length === 0 ? (
              <Empty title="There are no sheets yet">
                <p>
                  <a href={classPath(one.ID, 'new-sheet')}>Write one</a>: choose problems, give them points, and say
                  when it opens and when it is due.
                </p>
              </Empty>
            ) : (
              <>
                <Table class="table fold" rows={[...sheets].reverse()} columns={columns} keyOf={({ ID }) => ID} />
                <p class="hidden-text">{plural(sheets.length, 'sheet')}</p>
              </>
            )}
          </div>
          <ClassOrganisations sheets={sheets} />
        </>
      )}
    </Ready>
  )
}

export function State({ sheet }: { sheet: Sheet }) {
  const now = useNow(10_000)
  const state = stateOf(sheet, sheet.DueTime, now)
  if (state === 'draft') return <span class="badge wait">Draft</span>
  if (state === 'planned')
    return (
      <span class="badge">
        Opens <Moment at={sheet.OpenTime} />
      </span>
    )
  if (sheet.DueTime === null) return <span class="badge good">Open</span>
  return <Countdown due={sheet.DueTime} lateUntil={sheet.LateUntil} />
}
