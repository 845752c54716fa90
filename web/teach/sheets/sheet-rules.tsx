/** What a sheet takes: languages, how many submissions, and whether students see each other's verdicts. */
import type { SheetDraft } from '../../api/classes.ts'
import { useSession } from '../../app/session.ts'
import { Field } from '../../parts/form.tsx'

export type Change = (part: Partial<SheetDraft>) => void

export function SheetRules({ draft, change }: { draft: SheetDraft; change: Change }) {
  const { SupportedLanguageList } = useSession().info
  const chosen = draft.LanguageList ?? []
  const offered = [
    ...SupportedLanguageList,
    ...chosen
      .filter((value) => !SupportedLanguageList.some(({ Value }) => Value === value))
      .map((Value) => ({ Value, Name: Value })),
  ]
  const toggle = (value: string, isChosen: boolean) => {
    const next = isChosen ? [...chosen, value] : chosen.filter((one) => one !== value)
    change({ LanguageList: next.length === 0 ? null : next })
  }
  return (
    <section class="card" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <fieldset class="plain below-fields">
        <legend class="label">Languages</legend>
        <p class="soft small">If none is ticked, all are allowed.</p>
        <div class="row">
          {offered.map(({ Value, Name }) => (
            <label class="check inline" key={Value}>
              <input
                type="checkbox"
                checked={chosen.includes(Value)}
                onChange={(event) => toggle(Value, event.currentTarget.checked)}
              />
              <span>{Name}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <Field label="Submissions to each problem" hint="Leave empty for no limit.">
        <input
          type="number"
          min={1}
          max={1_000_000}
          value={draft.SubmissionLimit ?? ''}
          onInput={(event) => {
            const { value } = event.currentTarget
            change({ SubmissionLimit: value === '' ? null : Number(value) })
          }}
        />
      </Field>
      <label class="check">
        <input
          type="checkbox"
          checked={draft.ShowsOthers}
          onChange={(event) => change({ ShowsOthers: event.currentTarget.checked })}
        />
        <span>
          Students see each other’s verdicts <small class="soft">Never the programs.</small>
        </span>
      </label>
    </section>
  )
}
