/** A mark: points in place of the computed ones, or a comment beside them. */
import { useState } from 'preact/hooks'
import type { ResultCell, ResultRow, SheetProblem } from '../../api/classes.ts'
import { Fault } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import { useUnsavedGuard } from '../../app/page.ts'
import { ask } from '../../parts/ask.tsx'
import { findDecimalFault, readDecimal } from '../../parts/decimal.ts'
import { DecimalInput } from '../../parts/decimal-input.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { useRevealed } from '../../parts/revealed.ts'
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

const mostPoints = 1_000_000

export function MarkForm(props: Props) {
  const { sheetId, row, problem, cell, previous, next, saveAndNext, close, reload } = props
  const { Mark } = cell
  const submissionId = props.submissionId ?? cell.BestID
  const act = useAct()
  const [points, setPoints] = useState(Mark?.Points == null ? '' : String(Mark.Points))
  const [comment, setComment] = useState(Mark?.Comment ?? '')
  const place = useRevealed<HTMLHeadingElement>(`${row.AccountName} ${problem.UUID}`)
  const first = [Mark?.Points == null ? '' : String(Mark.Points), Mark?.Comment ?? '']
  const isChanged = points !== first[0] || comment !== first[1]
  const guard = useUnsavedGuard()
  if (isChanged) guard.note()
  else guard.clear()
  const put = async (Points: number | null, Comment: string, after = close) => {
    const place = { SheetID: sheetId, AccountName: row.AccountName, UUID: problem.UUID }
    await call('put_mark', { ...place, Points, Comment, ...(submissionId !== null && { SubmissionID: submissionId }) })
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
    await put(given, comment, after)
  }
  const move = async (act: () => void) => {
    const text = 'The points and the comment for this student are not saved.'
    if (isChanged && !(await ask({ title: 'Leave without saving?', text, action: 'Leave' }))) return
    act()
  }
  return (
    <section class="card" aria-labelledby="mark">
      <h2 id="mark" tabIndex={-1} ref={place}>
        {problem.DisplayName}: {row.RosterName} <small class="soft">{row.AccountName}</small>
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
              onClick={() => void act.run(() => put(null, ''))}
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
