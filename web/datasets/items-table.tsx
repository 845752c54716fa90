/** A page of items as a table. However many items and fields there are, one page of each is drawn. */
import { useState } from 'preact/hooks'
import { type Dataset, readItems } from '../api/datasets.ts'
import { useLoad } from '../app/load.ts'
import { setQuery, usePlace } from '../app/location.ts'
import { Pager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'

const pageOfItems = 50
const pageOfColumns = 20

export function ItemsTable({ dataset, isOwn }: { dataset: Dataset; isOwn: boolean }) {
  const { query } = usePlace()
  const isNewestFirst = query.get('order') === 'new'
  const { Offset } = usePage(pageOfItems)
  const params = new URLSearchParams({
    offset: String(Offset),
    limit: String(pageOfItems),
    ...(isNewestFirst && { desc: '1' }),
  })
  const loaded = useLoad(`items ${dataset.id} ${params}`, () => readItems(dataset.id, params))
  const [columnPage, setColumnPage] = useState(0)
  if (dataset.itemCount === 0)
    return (
      <div class="card">
        <Empty title="There are no items yet">
          {isOwn && (
            <p>
              <a href={`/-/datasets/${dataset.id}?tab=add`}>Add a file</a>, or push items from a script.
            </p>
          )}
        </Empty>
      </div>
    )
  return (
    <Ready of={loaded}>
      {({ items, total }) => {
        const columns = [...new Set([...dataset.fields, ...items.flatMap((item) => Object.keys(item))])]
        const first = columnPage * pageOfColumns
        const shown = columns.slice(first, first + pageOfColumns)
        return (
          <>
            <div class="row filters">
              <label class="row small">
                <span class="soft">Order</span>
                <select
                  class="input"
                  value={isNewestFirst ? 'new' : 'old'}
                  onChange={(event) =>
                    setQuery({ order: event.currentTarget.value === 'new' ? 'new' : undefined, page: undefined })
                  }
                >
                  <option value="old">as pushed</option>
                  <option value="new">newest first</option>
                </select>
              </label>
              {columns.length > pageOfColumns && (
                <span class="row small">
                  <span class="soft">
                    Columns {first + 1} to {Math.min(columns.length, first + pageOfColumns)} of {columns.length}
                  </span>
                  <button
                    type="button"
                    class="button tight"
                    disabled={columnPage === 0}
                    onClick={() => setColumnPage(columnPage - 1)}
                  >
                    Left
                  </button>
                  <button
                    type="button"
                    class="button tight"
                    disabled={first + pageOfColumns >= columns.length}
                    onClick={() => setColumnPage(columnPage + 1)}
                  >
                    Right
                  </button>
                </span>
              )}
            </div>
            <section class="card flush scroll tall" tabIndex={0} aria-label="Items">
              <table class="table data">
                <thead>
                  <tr>
                    <th scope="col" class="number">
                      No.
                    </th>
                    {shown.map((name) => (
                      <th scope="col" key={name}>
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {items.map((item, at) => {
                    const number = isNewestFirst ? total - Offset - at : Offset + at + 1
                    return (
                      <tr key={number}>
                        <td class="number soft">{number}</td>
                        {shown.map((name) => (
                          <td key={name}>
                            <Value value={item[name]} name={name} />
                          </td>
                        ))}
                      </tr>
                    )
                  })}
                </tbody>
              </table>
            </section>
            <Pager total={total} size={pageOfItems} what="items" />
          </>
        )
      }}
    </Ready>
  )
}

/** A text of more than so many characters is cut, and unfolds. */
const longText = 120

function Value({ value, name }: { value: unknown; name: string }) {
  if (value === undefined || value === null) return <span class="soft">{value === null ? 'null' : ''}</span>
  if (typeof value === 'object') {
    const size = Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`
    return (
      <details>
        <summary class="soft">
          {size} <span class="hidden-text">in {name}</span>
        </summary>
        <pre tabIndex={0}>{JSON.stringify(value, null, 2).slice(0, 20_000)}</pre>
      </details>
    )
  }
  const text = String(value)
  if (text.length <= longText) return typeof value === 'string' ? text : <code>{text}</code>
  return (
    <details>
      <summary>{text.slice(0, longText)} …</summary>
      <div class="long-text">{text.slice(0, 20_000)}</div>
    </details>
  )
}
