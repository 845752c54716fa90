/** The grade sheet: one act makes or refreshes a data set of results, which is taken out as a spreadsheet. */
import { useState } from 'preact/hooks'
import { call } from '../api/rpc.ts'
import { forgetAll, useLoad } from '../app/load.ts'
import { formatCount } from '../parts/figures.ts'
import { Field, Form, Submit, useAct } from '../parts/form.tsx'
import { Done } from '../parts/state.tsx'

type Made = { readonly DatasetID: string; readonly DatasetName: string; readonly ItemCount: number }

export function GradeSheet() {
  const act = useAct()
  const problems = useLoad('problems to choose', () => call('get_problem_snippet_list', { Offset: 0, Limit: 100 }))
  const list = problems.value?.ProblemSnippetList ?? []
  const [name, setName] = useState('results')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [hasEveryone, setEveryone] = useState(true)
  const [made, setMade] = useState<Made>()
  const submit = async () => {
    setMade(undefined)
    const sheet = await call('create_grade_sheet', {
      DatasetName: name,
      HasEveryContestant: hasEveryone,
      ...(chosen.length > 0 && { ProblemUUIDList: chosen }),
    })
    forgetAll()
    setMade(sheet)
  }
  return (
    <section class="card below" id="grade-sheet" aria-labelledby="grade-sheet-title">
      <h2 id="grade-sheet-title">Grade sheet</h2>
      <p class="soft small">
        Person by problem, with the result, the tries, the first success, time and memory, as a data set of yours. Made
        again under the same name it is brought up to date.
      </p>
      <Form act={act} submit={submit}>
        <div class="pair">
          <Field label="Name of the data set" hint="Letters, digits and hyphens.">
            <input
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
              pattern="[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?"
              title="Letters, digits and hyphens, no hyphen at an end"
              maxLength={63}
              required
            />
          </Field>
          <Field label="Problems" hint="All of them where none is chosen. Hold Ctrl to choose several.">
            <select
              multiple
              size={Math.min(6, Math.max(2, list.length))}
              onChange={(event) => setChosen([...event.currentTarget.selectedOptions].map(({ value }) => value))}
            >
              {list.map(({ UUID, DisplayName }) => (
                <option key={UUID} value={UUID} selected={chosen.includes(UUID)}>
                  {DisplayName}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <label class="check">
          <input type="checkbox" checked={hasEveryone} onChange={(event) => setEveryone(event.currentTarget.checked)} />
          <span>Contestants who handed in nothing are in it, too</span>
        </label>
        <Submit act={act} busy="Making it …">
          Make the sheet
        </Submit>
      </Form>
      {made && (
        <div class="below">
          <Done>
            <a href={`/-/datasets/${made.DatasetID}`}>{made.DatasetName}</a> has {formatCount(made.ItemCount)} rows:{' '}
            <a href={`/v2/datasets/${made.DatasetID}/items?format=xlsx&attachment=1`} download>
              as a spreadsheet
            </a>
          </Done>
        </div>
      )}
    </section>
  )
}
