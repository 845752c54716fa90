/** For a student: the sheets of all their classes, when each is due, and how far they are. */
import type { Class, Results, Sheet } from '../../api/classes.ts'
import { callAll, openAnswer } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { useSession } from '../../app/session.ts'
import { useWatchedList } from '../../judge/watched-list.ts'
import { Countdown, Moment } from '../../parts/due.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { dueTimeOf, formatPoints, stateOf, sumPoints } from './sheet-times.ts'

export type OwnSheet = { readonly sheet: Sheet; readonly className: string; readonly results: Results | undefined }

/** A request takes a hundred calls; whoever attends more classes sees the newest ones. */
const mostAsked = 100

export async function readOwnSheets(classes: readonly Class[]): Promise<readonly OwnSheet[]> {
  const asked = classes.slice(0, mostAsked)
  const lists = await callAll(asked.map(({ ID }) => ['get_sheet_list', { ClassID: ID }] as const))
  const sheets = lists.flatMap((answer, at) =>
    answer.error
      ? []
      : openAnswer<{ SheetList: readonly Sheet[] }>(answer).SheetList.map((sheet) => ({
          sheet,
          className: asked[at]!.Name,
        })),
  )
  const newest = sheets.sort((a, b) => b.sheet.OpenTime - a.sheet.OpenTime).slice(0, mostAsked)
  const results = await callAll(newest.map(({ sheet }) => ['get_sheet_results', { SheetID: sheet.ID }] as const))
  return newest.map((one, at) => ({ ...one, results: results[at]?.result as Results | undefined }))
}

export function DueSheets({ classes }: { classes: readonly Class[] }) {
  const key = classes.map(({ ID }) => ID).join(' ')
  const loaded = useLoad(`own sheets ${key}`, () => readOwnSheets(classes))
  // Not live: it takes many reads, and other people's submissions do not matter here.
  useWatchedList(loaded.reload, 3_000, { isOff: key === '' })
  if (classes.length === 0) return null
  if (loaded.error !== undefined) return <FailedAct act={loaded} />
  if (!loaded.value || loaded.value.length === 0) return null
  return (
    <section class="card flush" aria-labelledby="due">
      <h2 id="due" class="card-title">
        Your sheets
      </h2>
      <SheetRows sheets={loaded.value} hasClass />
    </section>
  )
}

/** Open sheets come first, by deadline. */
function inOrder(sheets: readonly OwnSheet[], login: string | undefined): readonly OwnSheet[] {
  const now = Date.now()
  const place = ({ sheet }: OwnSheet) => {
    const due = dueTimeOf(sheet, login)
    return stateOf(sheet, due, now) === 'over' ? Number.MAX_SAFE_INTEGER : (due ?? Number.MAX_SAFE_INTEGER - 1)
  }
  return [...sheets].sort((a, b) => place(a) - place(b) || b.sheet.OpenTime - a.sheet.OpenTime)
}

export function SheetRows({ sheets, hasClass = false }: { sheets: readonly OwnSheet[]; hasClass?: boolean }) {
  const login = useSession().account?.AccountName
  return (
    <ul class="rows">
      {inOrder(sheets, login).map(({ sheet, className, results }) => {
        const due = dueTimeOf(sheet, login)
        return (
          <li key={sheet.ID}>
            <div class="grow">
              <a href={`/-/sheets/${sheet.ID}`}>{sheet.Title}</a>{' '}
              {hasClass && <span class="soft small">{className}</span>}
              <div class="soft small">
                {due === null ? (
                  'No deadline'
                ) : (
                  <>
                    Due <Moment at={due} />
                  </>
                )}
              </div>
            </div>
            <OwnProgress sheet={sheet} results={results} />
            <Countdown due={due} lateUntil={sheet.LateUntil} />
          </li>
        )
      })}
    </ul>
  )
}

function OwnProgress({ sheet, results }: { sheet: Sheet; results: Results | undefined }) {
  const row = results?.RowList[0]
  const total = sumPoints(sheet)
  if (!row) return null
  return (
    <span class="sheet-progress small">
      <progress
        aria-label={`Points in ${sheet.Title}`}
        value={Math.min(row.Total, total)}
        max={total > 0 ? total : 1}
      />
      {formatPoints(row.Total)} of {formatPoints(total)} points
    </span>
  )
}
