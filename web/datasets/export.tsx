/** Export: every parameter as a control, the resulting address, and one click per format. */
import { useState } from 'preact/hooks'
import type { Dataset } from '../api/datasets.ts'
import { Copy } from '../parts/copy.tsx'
import { Field } from '../parts/form.tsx'

const formats = ['json', 'jsonl', 'csv', 'xlsx', 'html', 'xml', 'rss', 'parquet', 'arrow'] as const

type Control = {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly kind: 'flag' | 'text' | 'number'
}

const page: readonly Control[] = [
  { name: 'filter', label: 'Only items where', kind: 'text', hint: 'Such as year >= 1900 and lang = "en".' },
  { name: 'search', label: 'Only items that contain', kind: 'text', hint: 'In any value. Case is ignored.' },
  { name: 'sort', label: 'Sort by', kind: 'text', hint: 'Separate with commas; -year sorts greatest first.' },
  { name: 'distinct', label: 'Unique by', kind: 'text', hint: 'Separate with commas.' },
  { name: 'offset', label: 'Skip items', kind: 'number' },
  { name: 'limit', label: 'Limit', kind: 'number', hint: 'Leave empty for all items.' },
  { name: 'desc', label: 'Newest first', kind: 'flag' },
]
const shape: readonly Control[] = [
  { name: 'fields', label: 'Only these fields', kind: 'text', hint: 'In this order, separated by commas.' },
  { name: 'omit', label: 'Leave out these fields', kind: 'text' },
  { name: 'outputFields', label: 'New names', kind: 'text', hint: 'One for each field above.' },
  { name: 'unwind', label: 'One row per element of', kind: 'text', hint: 'The name of a list in the items.' },
  { name: 'flatten', label: 'Flatten', kind: 'text' },
  { name: 'view', label: 'View of the schema', kind: 'text' },
  { name: 'clean', label: 'Clean: no hidden fields, no empty items', kind: 'flag' },
  { name: 'skipHidden', label: 'Leave out hidden fields (#…)', kind: 'flag' },
  { name: 'skipEmpty', label: 'Leave out empty items', kind: 'flag' },
  { name: 'skipFailedPages', label: 'Leave out items with errorInfo', kind: 'flag' },
  { name: 'simplified', label: 'Simplified: only url, pageFunctionResult and errorInfo', kind: 'flag' },
]
const forFormat: Readonly<Record<string, readonly Control[]>> = {
  csv: [
    { name: 'delimiter', label: 'Delimiter', kind: 'text' },
    { name: 'bom', label: 'Add a byte order mark (for old spreadsheets)', kind: 'flag' },
    { name: 'skipHeaderRow', label: 'No header row', kind: 'flag' },
  ],
  xlsx: [{ name: 'skipHeaderRow', label: 'No header row', kind: 'flag' }],
  html: [{ name: 'skipHeaderRow', label: 'No header row', kind: 'flag' }],
  xml: [
    { name: 'xmlRoot', label: 'Root element', kind: 'text' },
    { name: 'xmlRow', label: 'Element of an item', kind: 'text' },
  ],
  rss: [
    { name: 'feedTitle', label: 'Title', kind: 'text' },
    { name: 'feedDescription', label: 'Description', kind: 'text' },
  ],
}

export function Export({ dataset }: { dataset: Dataset }) {
  const [format, setFormat] = useState<string>('csv')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const own = forFormat[format] ?? []
  const controls = [...page, ...shape, ...own]
  const query = new URLSearchParams({ format })
  for (const { name } of controls) if (values[name]) query.set(name, values[name])
  const path = `/v2/datasets/${dataset.id}/items?${query}`
  const address = `${location.origin}${path}`
  const set = (name: string, value: string) => setValues((now) => ({ ...now, [name]: value }))
  return (
    <div class="stack">
      <section class="card" aria-labelledby="one-click">
        <h2 id="one-click">Export everything</h2>
        <div class="row">
          {formats.map((one) => (
            <a key={one} class="button" href={`/v2/datasets/${dataset.id}/items?format=${one}&attachment=1`} download>
              {one}
            </a>
          ))}
        </div>
      </section>
      <section class="card" aria-labelledby="chosen">
        <h2 id="chosen">Choose what to export</h2>
        <div class="controls">
          <Field label="Format">
            <select value={format} onChange={(event) => setFormat(event.currentTarget.value)}>
              {formats.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </Field>
          {controls
            .filter(({ kind }) => kind !== 'flag')
            .map(({ name, label, hint, kind }) => (
              <Field key={name} label={label} {...(hint && { hint })}>
                <input
                  inputMode={kind === 'number' ? 'numeric' : 'text'}
                  value={values[name] ?? ''}
                  onInput={(event) => set(name, event.currentTarget.value)}
                />
              </Field>
            ))}
        </div>
        {controls
          .filter(({ kind }) => kind === 'flag')
          .map(({ name, label }) => (
            <label class="check" key={name}>
              <input
                type="checkbox"
                checked={values[name] === '1'}
                onChange={(event) => set(name, event.currentTarget.checked ? '1' : '')}
              />
              {label}
            </label>
          ))}
        <p class="label">Address</p>
        <pre tabIndex={0} class="address">
          {address}
        </pre>
        <br />
        <div class="row">
          <a class="button main" href={`${path}&attachment=1`} download>
            Download
          </a>
          <a class="button" href={path} target="_blank" rel="noreferrer">
            Open
          </a>
          <Copy text={address} what="the address" />
          <span class="small soft">as a command:</span>
          <Copy text={`curl -H "Authorization: Bearer $TOKEN" "${address}"`} what="the address as a curl command" />
        </div>
      </section>
    </div>
  )
}
