/** A mark: points in place of the computed ones, or a comment beside them. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Mark, ResultCell, ResultRow, SheetProblem } from '../../api/classes.ts'
import { Fault } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { useUnsavedGuard } from '../../app/page.ts'
import { ask } from '../../parts/ask.tsx'
import { findDecimalFault, readDecimal } from '../../parts/decimal.ts'
import { DecimalInput } from '../../parts/decimal-input.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { type FieldWords, isSame, settleChanges } from '../../parts/meanwhile.tsx'
import { When } from '../../parts/when.tsx'

type Props = {
  readonly sheetId: number
  readonly row: ResultRow
  readonly problem: SheetProblem
  readonly cell: ResultCell
  /** The submission that is marked; by default the best. */
  readonly submissionId?: number
  /** Of the students before and after this one, for the same problem. */
  readonly previous?: (() => void) | undefined
  readonly next?: (() => void) | undefined
  /** Where to go after the mark is saved, if not back. */
  readonly saveAndNext?: (() => void) | undefined
  close(): void
  reload(): void
}

type MarkDraft = Pick<Mark, 'Points' | 'Comment'>

const mostPoints = 1_000_000
const noMark: MarkDraft = { Points: null, Comment: '' }

const writePoints = (points: number | null): string => (points === null ? '' : String(points))
const pickMark = (mark: Mark | null): MarkDraft => (mark ? { Points: mark.Points, Comment: mark.Comment } : noMark)

const fields: FieldWords<MarkDraft> = { Points: ['Points', writePoints], Comment: ['Comment'] }

type Place = { readonly SheetID: number; readonly AccountName: string; readonly UUID: string }

/** As it is now: another teacher may have set it since the form was opened. */
async function readMark({ SheetID, AccountName, UUID }: Place): Promise<Mark | null> {
  const { ProblemList, RowList } = await call('get_sheet_results', { SheetID })
  const at = ProblemList.findIndex((one) => one.UUID === UUID)
  return RowList.find((row) => row.AccountName === AccountName)?.CellList[at]?.Mark ?? null
}

export function MarkForm(props: Props) {
  const { sheetId, row, problem, cell, previous, next, saveAndNext, close, reload } = props
  const { Mark } = cell
  const submissionId = props.submissionId ?? cell.BestID
  const act = useAct()
  const [first, setFirst] = useState(() => pickMark(Mark))
  const [points, setPoints] = useState(writePoints(first.Points))
  const [comment, setComment] = useState(first.Comment)
  const [box, title] = useFocusInPlace()
  const isChanged = points !== writePoints(first.Points) || comment !== first.Comment
  const guard = useUnsavedGuard()
  if (isChanged) guard.note()
  else guard.clear()
  const put = async (draft: MarkDraft, after = close, begun = first) => {
    const place = { SheetID: sheetId, AccountName: row.AccountName, UUID: problem.UUID }
    const saved = await readMark(place)
    const now = pickMark(saved)
    const changes = await settleChanges({ first: begun, draft, now, fields, by: saved?.SetByName })
    if (!changes) return
    const isTheirs = !isSame(draft, begun) && Object.keys(changes).length === 0
    const mark = { ...now, ...changes }
    const of = submissionId !== null && { SubmissionID: submissionId }
    if (!isTheirs) await call('put_mark', { ...place, ...mark, ...of })
    setFirst(mark)
    setPoints(writePoints(mark.Points))
    setComment(mark.Comment)
    guard.clear()
    reload()
    after()
  }
  const save = async (after?: () => void) => {
    const fault = findDecimalFault(points, { maximum: mostPoints })
    if (fault) throw new Fault(0, fault)
    const given = readDecimal(points)
    const title = `Give ${given} of ${problem.Points} points?`
    const text = 'This is more than the problem is worth. What is above counts as a bonus.'
    if ((given ?? 0) > problem.Points && !(await ask({ title, text, action: 'Save mark' }))) return
    await put({ Points: given, Comment: comment }, after)
  }
  const move = async (act: () => void) => {
    const text = 'The points and the comment for this student are not saved.'
    if (isChanged && !(await ask({ title: 'Leave without saving?', text, action: 'Leave' }))) return
    act()
  }
  return (
    <section class="card mark-form" aria-labelledby="mark" ref={box}>
      <h2 id="mark" tabIndex={-1} ref={title}>
        <span class="mark-name">{row.RosterName}</span> <small class="soft">{row.AccountName}</small>:{' '}
        {problem.DisplayName}
      </h2>
      {Mark && (
        <p class="soft small">
          Marked by {Mark.SetByName}, <When at={Mark.SetTime} />
          {Mark.SubmissionID !== null && (
            <>
              , for{' '}
              <a href={`/-/judge/submissions/${Mark.SubmissionID}?sheet=${sheetId}`}>submission {Mark.SubmissionID}</a>
            </>
          )}
        </p>
      )}
      {Mark?.NewerID != null && (
        <p class="notice">
          <span>
            Marked for an earlier submission:{' '}
            <a href={`/-/judge/submissions/${Mark.NewerID}?sheet=${sheetId}`}>submission {Mark.NewerID}</a> has come
            since.
          </span>
        </p>
      )}
      {submissionId !== null && <p class="soft small">This mark is for submission {submissionId}.</p>}
      <Form act={act} submit={() => save()}>
        <div class="pair">
          <Field
            label="Points"
            hint={`Of ${problem.Points}; more counts as a bonus. Leave empty for the points of the best submission.`}
          >
            <DecimalInput maximum={mostPoints} value={points} write={setPoints} />
          </Field>
          <Field label="Comment" hint="The student sees it.">
            <textarea
              rows={2}
              maxLength={10_000}
              value={comment}
              onInput={(event) => setComment(event.currentTarget.value)}
            />
          </Field>
        </div>
        <div class="row">
          <Submit act={act}>Save mark</Submit>
          {saveAndNext && (
            <button
              type="button"
              class="button"
              disabled={act.isBusy}
              onClick={() => void act.run(() => save(saveAndNext))}
            >
              Save and mark the next student
            </button>
          )}
          {Mark && (
            <button
              type="button"
              class="button"
              disabled={act.isBusy}
              onClick={() => void act.run(() => put(noMark, close, pickMark(Mark)))}
            >
              Remove mark
            </button>
          )}
          <button type="button" class="button quiet" onClick={close}>
            Cancel
          </button>
          {previous && (
            <button type="button" class="button quiet" onClick={() => void move(previous)}>
              Previous student
            </button>
          )}
          {next && (
            <button type="button" class="button quiet" onClick={() => void move(next)}>
              Next student
            </button>
          )}
        </div>
      </Form>
    </section>
  )
}

/** Longer than between the clicks of a double click. */
const doubleClickMs = 600

/** The heading has the focus at once; the page scrolls to the form only when nobody is clicking any more. */
function useFocusInPlace() {
  const box = useRef<HTMLElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    title.current?.focus({ preventScroll: true })
    const timer = setTimeout(() => box.current?.scrollIntoView({ block: 'nearest' }), doubleClickMs)
    return () => clearTimeout(timer)
  }, [])
  return [box, title] as const
}
