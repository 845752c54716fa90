/** Making a sheet, and changing or deleting one. */
import { useState } from 'preact/hooks'
import { plural } from '../../../src/lib/text/plural.ts'
import type { Sheet, SheetDraft, SheetProblem } from '../../api/classes.ts'
import { Fault } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { forgetAll } from '../../app/load.ts'
import { go } from '../../app/location.ts'
import type { ViewProps } from '../../app/view.ts'
import { ask } from '../../parts/ask.tsx'
import { useAct } from '../../parts/form.tsx'
import { Heading } from '../../parts/heading.tsx'
import { settleChanges } from '../../parts/meanwhile.tsx'
import { Only } from '../../parts/only.tsx'
import { FailedAct } from '../../parts/state.tsx'
import { classPath } from '../classes/class-page.tsx'
import { makeBlank } from './blank-sheet.ts'
import { nameSheetFields, pickDraft } from './sheet-fields.ts'
import { SheetForm } from './sheet-form.tsx'
import { SheetPage } from './sheet-page.tsx'

export const NewSheet = ({ params }: ViewProps) => (
  <Only who="setters" title="New sheet">
    <Writing classId={params.class!} />
  </Only>
)

function Writing({ classId }: { classId: string }) {
  const [blank] = useState(makeBlank)
  const save = async (draft: SheetDraft) => {
    const { Sheet } = await call('create_sheet', { ...draft, ClassID: classId })
    forgetAll()
    return `/-/sheets/${Sheet.ID}`
  }
  return (
    <>
      <Heading title="New sheet" note={<a href={classPath(classId)}>Back to the class</a>} />
      <SheetForm first={blank} problems={[]} save={save} />
    </>
  )
}

export const EditSheet = ({ params }: ViewProps) => (
  <SheetPage id={Number(params.id)} tab="edit">
    {({ sheet }) => {
      const save = async (draft: SheetDraft, begun: SheetDraft, chosen: readonly SheetProblem[]) => {
        const { Sheet: now } = await call('get_sheet', { ID: sheet.ID })
        const fields = nameSheetFields([...chosen, ...now.ProblemList])
        const changes = await settleChanges({ first: begun, draft, now: pickDraft(now), fields })
        if (!changes || !(await mayRemoveProblems(now, changes)) || !(await mayNarrowTimes(now, changes)))
          return undefined
        await call('update_sheet', { ...changes, ID: sheet.ID })
        forgetAll()
        return `/-/sheets/${sheet.ID}`
      }
      return (
        <div class="stack">
          <SheetForm key={sheet.ID} first={sheet} problems={sheet.ProblemList} save={save} />
          <DeleteSheet id={sheet.ID} title={sheet.Title} classId={sheet.ClassID} />
        </div>
      )
    }}
  </SheetPage>
)

/** Asks before a problem in which students have results is removed. */
async function mayRemoveProblems(
  { ID, ProblemList: before }: Sheet,
  { ProblemList = before }: Partial<SheetDraft>,
): Promise<boolean> {
  const removed = before.filter(({ UUID }) => !ProblemList.some((one) => one.UUID === UUID))
  if (removed.length === 0) return true
  const { ProblemList: columns, RowList } = await call('get_sheet_results', { SheetID: ID })
  const isRemoved = columns.map(({ UUID }) => removed.some((one) => one.UUID === UUID))
  const count = RowList.filter(({ CellList }) =>
    CellList.some(({ BestID, Mark }, at) => isRemoved[at] && (BestID !== null || Mark)),
  ).length
  if (count === 0) return true
  const title = `Remove ${removed.map(({ DisplayName }) => `“${DisplayName}”`).join(', ')}?`
  const text = `The points of ${plural(count, 'student')} for it no longer count in this sheet. Submissions and marks stay: if you add the problem again, the points come back.`
  return ask({ title, text, action: 'Remove and save' })
}

/** Asks before times change so that something that was handed in may count less, or no longer. */
async function mayNarrowTimes(now: Sheet, changes: Partial<SheetDraft>): Promise<boolean> {
  const next = { ...now, ...changes }
  const endOf = (time: number | null) => time ?? Number.POSITIVE_INFINITY
  const lastOf = ({ DueTime, LateUntil }: SheetDraft) => endOf(LateUntil ?? DueTime)
  const isNarrower =
    next.OpenTime > now.OpenTime ||
    endOf(next.DueTime) < endOf(now.DueTime) ||
    lastOf(next) < lastOf(now) ||
    next.LateFactor < now.LateFactor
  if (!isNarrower) return true
  const { RowList } = await call('get_sheet_results', { SheetID: now.ID })
  const count = RowList.filter(({ CellList }) => CellList.some(({ BestID }) => BestID !== null)).length
  if (count === 0) return true
  const text = `${plural(count, 'student')} handed in. What was handed in outside the new times no longer counts, or counts as late. Submissions and marks stay: with the old times, the points come back.`
  return ask({ title: 'Change the times of work that was handed in?', text, action: 'Change and save' })
}

function DeleteSheet({ id, title, classId }: { id: number; title: string; classId: string }) {
  const act = useAct()
  const remove = () =>
    act.run(async () => {
      const text = 'Its extensions and marks are deleted. The problems and submissions stay.'
      if (!(await ask({ title: `Delete “${title}”?`, text, action: 'Delete sheet' }))) return
      await call('delete_sheet', { ID: id }).catch(async (error) => {
        if (!(error instanceof Fault) || error.code !== 10) throw error
        const counts = 'Submissions count in this sheet. Its results and marks are lost if you delete it.'
        if (!(await ask({ title: `Delete “${title}” with its results?`, text: counts, action: 'Delete anyway' })))
          throw error
        await call('delete_sheet', { ID: id, IsForced: true })
      })
      forgetAll()
      go(classPath(classId))
    })
  return (
    <div>
      <button type="button" class="button danger" disabled={act.isBusy} onClick={() => void remove()}>
        Delete sheet
      </button>
      <div class="below">
        <FailedAct act={act} />
      </div>
    </div>
  )
}
