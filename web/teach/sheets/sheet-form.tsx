/** Writing a sheet: what it says, when it opens and is due, its problems and points, and what it takes. */
import { useState } from 'preact/hooks'
import type { SheetDraft, SheetProblem } from '../../api/classes.ts'
import { Fault } from '../../api/fault.ts'
import { go } from '../../app/location.ts'
import { useUnsavedGuard } from '../../app/page.ts'
import { NumberInput } from '../../parts/decimal-input.tsx'
import { fromLocalInput, toLocalInput, zoneName } from '../../parts/due.tsx'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import { Preview } from '../problems/statement-field.tsx'
import { ContestWarning } from './contest-warning.tsx'
import { ProblemChooser } from './problem-chooser.tsx'
import { pickDraft } from './sheet-fields.ts'
import { type Change, SheetRules } from './sheet-rules.tsx'
import { cleanTemplate, TemplateFields } from './template-fields.tsx'

type Props = {
  readonly first: SheetDraft
  readonly problems: readonly SheetProblem[]
  /** Answers the address to go to, or undefined if the user decided not to save. `begun`: as the form opened. */
  save(draft: SheetDraft, begun: SheetDraft, chosen: readonly SheetProblem[]): Promise<string | undefined>
}

export function SheetForm({ first, problems, save }: Props) {
  const act = useAct()
  const guard = useUnsavedGuard()
  const [begun] = useState<SheetDraft>(() => pickDraft(first))
  const [draft, setDraft] = useState(begun)
  const [chosen, setChosen] = useState(problems)
  const change: Change = (part) => {
    guard.note()
    setDraft((now) => ({ ...now, ...part }))
  }
  const choose = (list: readonly SheetProblem[]) => {
    guard.note()
    setChosen(list)
  }
  const submit = async () => {
    const ProblemList = chosen.map(({ UUID, Points }) => ({ UUID, Points }))
    demandOrder(draft)
    const next = await save({ ...draft, ProblemList, Template: cleanTemplate(draft.Template) }, begun, chosen)
    if (next === undefined) return
    guard.clear()
    go(next)
  }
  return (
    <Form act={act} submit={submit}>
      <div class="solve">
        <div class="stack">
          <section class="card" aria-label="Sheet">
            <Field label="Title">
              <input
                value={draft.Title}
                onInput={(event) => change({ Title: event.currentTarget.value })}
                maxLength={256}
                required
              />
            </Field>
            <Field label="Text" hint="Markdown, as in problem statements.">
              <textarea
                class="mono"
                rows={6}
                maxLength={100_000}
                value={draft.Description}
                onInput={(event) => change({ Description: event.currentTarget.value })}
              />
            </Field>
          </section>
          {draft.Description && <Preview uuid={undefined} text={draft.Description} />}
          <section class="card" aria-label="Problems of the sheet">
            <ContestWarning problems={chosen} openTime={draft.OpenTime} />
            <ProblemChooser list={chosen} change={choose} />
          </section>
        </div>
        <div class="stack">
          <Times draft={draft} change={change} />
          <SheetRules draft={draft} change={change} />
          <TemplateFields template={draft.Template} change={(Template) => change({ Template })} />
          <section class="card" aria-label="Publish">
            <RadioChoice
              legend="Visibility"
              name="published"
              value={draft.IsPublished ? 'published' : 'draft'}
              choose={(value) => change({ IsPublished: value === 'published' })}
              options={[
                ['draft', 'Draft', 'Only the teachers of the class.'],
                ['published', 'Published', 'Students see it once it opens.'],
              ]}
            />
            <Submit act={act} busy="Saving …">
              Save sheet
            </Submit>
          </section>
        </div>
      </div>
    </Form>
  )
}

function demandOrder({ OpenTime, DueTime, LateUntil }: SheetDraft): void {
  if (DueTime !== null && DueTime < OpenTime) throw new Fault(0, 'The sheet is due before it opens: change the times.')
  if (LateUntil !== null && (DueTime === null || LateUntil < DueTime))
    throw new Fault(0, 'The late time ends before the sheet is due: change the times.')
}

function Times({ draft, change }: { draft: SheetDraft; change: Change }) {
  const hint = `In your time zone, ${zoneName()}.`
  return (
    <section class="card" aria-labelledby="times">
      <h2 id="times">Times</h2>
      <div class="pair">
        <Field label="Opens" hint={hint}>
          <input
            type="datetime-local"
            value={toLocalInput(draft.OpenTime)}
            required
            onInput={(event) => change({ OpenTime: fromLocalInput(event.currentTarget.value) ?? draft.OpenTime })}
          />
        </Field>
        <Field label="Due" hint="Leave empty for no deadline.">
          <input
            type="datetime-local"
            value={toLocalInput(draft.DueTime)}
            onInput={(event) => {
              const DueTime = fromLocalInput(event.currentTarget.value)
              change({ DueTime, ...(DueTime === null && { LateUntil: null }) })
            }}
          />
        </Field>
        <Field label="Late until" hint="Leave empty if late submissions do not count.">
          <input
            type="datetime-local"
            value={toLocalInput(draft.LateUntil)}
            disabled={draft.DueTime === null}
            onInput={(event) => change({ LateUntil: fromLocalInput(event.currentTarget.value) })}
          />
        </Field>
        <Field label="Late submissions count (%)" hint="Percentage of the points.">
          <NumberInput
            maximum={100}
            value={Math.round(draft.LateFactor * 1_000_000) / 10_000}
            disabled={draft.LateUntil === null}
            required
            write={(percent) => change({ LateFactor: (percent ?? 0) / 100 })}
          />
        </Field>
      </div>
    </section>
  )
}
