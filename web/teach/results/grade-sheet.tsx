/** The grade sheet: one act makes or refreshes a data set of results, which is taken out as a spreadsheet. */
import { useState } from 'preact/hooks'
import { call } from '../../api/rpc.ts'
import { forgetAll, useLoad } from '../../app/load.ts'
import { DatasetNameField } from '../../datasets/dataset-name.tsx'
import { ask } from '../../parts/ask.tsx'
import { formatCount } from '../../parts/figures.ts'
import { Field, Form, Submit, useAct } from '../../parts/form.tsx'
import { RadioChoice } from '../../parts/radio-choice.tsx'
import { Done } from '../../parts/state.tsx'

type Layout = 'cells' | 'people'
type Made = {
  readonly DatasetID: string
  readonly DatasetName: string
  readonly ItemCount: number
  readonly layout: Layout
}

const layouts = [
  ['cells', 'One row for each person and problem', 'Result, attempts, first success, time and memory.'],
  ['people', 'One row for each person', 'Totals, with the problems side by side.'],
] as const

/** Tables have their columns by name unless they are told otherwise. */
const columns: Readonly<Record<Layout, string>> = {
  people: 'person,account,solved,points,tries,lastSuccess,problems',
  cells:
    'person,account,problem,solved,result,points,maximumPoints,tries,triesToSolve,firstSuccess,timeMs,memoryBytes,problemUuid',
}

const emptyQuestion = {
  title: 'Create a sheet without results?',
  text: 'Nobody has submitted to a released problem: everybody would have 0 solved. Results of sheets with problems that are not released are on the sheets’ own pages.',
  action: 'Create sheet',
}

type Props = {
  /** No submission to a released problem was made yet. */
  readonly isEmpty: boolean
}

export function GradeSheet({ isEmpty }: Props) {
  const act = useAct()
  const problems = useLoad('problems to choose', () => call('get_problem_snippet_list', { Offset: 0, Limit: 100 }))
  const list = problems.value?.ProblemSnippetList ?? []
  const [name, setName] = useState('results')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [layout, setLayout] = useState<Layout>('cells')
  const [hasEveryone, setEveryone] = useState(true)
  const [made, setMade] = useState<Made>()
  const submit = async () => {
    setMade(undefined)
    if (isEmpty && !(await ask(emptyQuestion))) return
    const sheet = await call('create_grade_sheet', {
      DatasetName: name,
      HasEveryContestant: hasEveryone,
      Layout: layout,
      ...(chosen.length > 0 && { ProblemUUIDList: chosen }),
    })
    forgetAll()
    setMade({ ...sheet, layout })
  }
  return (
    <section class="card below" id="grade-sheet" aria-labelledby="grade-sheet-title">
      <h2 id="grade-sheet-title">Grade sheet</h2>
      <p class="soft small">
        Stores the results in a data set that you can export as a spreadsheet. Use the same name again to update it.
      </p>
      <Form act={act} submit={submit}>
        <div class="pair">
          <DatasetNameField
            label="Name of the data set"
            hint="Letters, digits and hyphens."
            value={name}
            write={setName}
          />
          <Field
            label="Problems"
            hint="If none is chosen, all released ones are included, at most 100. Hold Ctrl to choose several."
          >
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
        <RadioChoice legend="Rows" name="layout" value={layout} options={layouts} choose={(one) => setLayout(one)} />
        <label class="check">
          <input type="checkbox" checked={hasEveryone} onChange={(event) => setEveryone(event.currentTarget.checked)} />
          <span>Include contestants without submissions</span>
        </label>
        <Submit act={act} busy="Creating …">
          Create sheet
        </Submit>
      </Form>
      {made && (
        <div class="below">
          <Done>
            <a href={`/-/datasets/${made.DatasetID}`}>{made.DatasetName}</a> has {formatCount(made.ItemCount)} rows:{' '}
            <a
              href={`/v2/datasets/${made.DatasetID}/items?format=xlsx&attachment=1&fields=${columns[made.layout]}`}
              download
            >
              as a spreadsheet
            </a>
          </Done>
        </div>
      )}
    </section>
  )
}
