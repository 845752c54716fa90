/**
 * The schema of a data set: what its items must be, and views of them. Written as JSON, or begun from the fields
 * there are.
 */
import { useState } from 'preact/hooks'
import { changeDataset, type Dataset, readItems } from '../api/datasets.ts'
import { Fault } from '../api/fault.ts'
import { Code } from '../judge/code.tsx'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { Done, Failed } from '../parts/state.tsx'

export function Schema({ dataset, replace }: { dataset: Dataset; replace(dataset: Dataset): void }) {
  const act = useAct()
  const draft = useAct()
  const [text, setText] = useState(dataset.schema ? write(dataset.schema) : '')
  const [done, setDone] = useState('')
  const save = async (schema: unknown, word: string) => {
    setDone('')
    replace(await changeDataset(dataset.id, { schema }))
    setDone(word)
  }
  const submit = () => save(text.trim() === '' ? null : parse(text), 'Saved. It applies to items pushed from now on.')
  const begin = () => draft.run(async () => setText(write(await describeItems(dataset))))
  return (
    <section class="card stack" aria-labelledby="schema">
      <h2 id="schema">Schema</h2>
      <p class="soft small">
        Pushed items that do not match <code>fields</code> (<a href="/-/docs/datasets#pushing">JSON Schema, draft-07</a>
        ) are rejected. Stored items stay. <code>views</code> define transformations for exports. Without a schema,
        anything is accepted.
      </p>
      {done && <Done>{done}</Done>}
      <Form act={act} submit={submit}>
        <div class="card flush">
          <Code
            text={text}
            language="json"
            label="The schema as JSON. Press Escape, then Tab to leave."
            onChange={setText}
          />
        </div>
        <div class="row below">
          <Submit act={act}>Save</Submit>
          <button
            type="button"
            class="button"
            disabled={draft.isBusy || dataset.itemCount === 0}
            onClick={() => void begin()}
          >
            Generate from items
          </button>
        </div>
      </Form>
      {draft.error !== undefined && <Failed error={draft.error} />}
    </section>
  )
}

const write = (value: unknown): string => JSON.stringify(value, null, 2)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Fault(400, `This is not valid JSON: ${(error as Error).message}`)
  }
}

const looked = 100

/** Derives a schema from the first items: a field is required if all of them have it. */
async function describeItems({ id }: Dataset): Promise<object> {
  const { items } = await readItems(id, new URLSearchParams({ limit: String(looked) }))
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const properties = Object.fromEntries(
    names.map((name) => {
      const kinds = [...new Set(items.filter((item) => Object.hasOwn(item, name)).map((item) => kindOf(item[name])))]
      const isWhole = kinds.includes('integer') && kinds.includes('number')
      const types = isWhole ? kinds.filter((kind) => kind !== 'integer') : kinds
      return [name, { type: types.length === 1 ? types[0] : types }]
    }),
  )
  const required = names.filter((name) => items.every((item) => Object.hasOwn(item, name)))
  return { fields: { type: 'object', properties, required } }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}
