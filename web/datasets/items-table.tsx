/** A page of items as a table. However many items and fields there are, one page of each is drawn. */
import { useState } from 'preact/hooks'
import { type Dataset, type Items, readItems } from '../api/datasets.ts'
import { useLoad } from '../app/load.ts'
import { Pager, StepPager, usePage } from '../parts/pager.tsx'
import { Empty, Ready } from '../parts/state.tsx'
import { ColumnHead, ItemsControls, type Selection, useSelection } from './items-controls.tsx'

const pageOfItems = 50
const pageOfColumns = 20

export function ItemsTable({ dataset, isOwn }: { dataset: Dataset; isOwn: boolean }) {
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
    <>
      <ItemsControls />
      <SelectedItems dataset={dataset} />
    </>
  )
}

function SelectedItems({ dataset }: { dataset: Dataset }) {
  const selection = useSelection()
  const { Offset } = usePage(pageOfItems)
  // One more than is shown tells whether there are further ones.
  const range = { offset: String(Offset), limit: String(pageOfItems + 1) }
  const params = new URLSearchParams({ ...range, ...selection.params })
  const loaded = useLoad(`items ${dataset.id} ${params}`, () => readItems(dataset.id, params))
  return (
    <Ready of={loaded}>
      {({ items, total }) => {
        const shown = items.slice(0, pageOfItems)
        return (
          <>
            {shown.length === 0 ? (
              <div class="card">
                <Empty title="No items match" />
              </div>
            ) : (
              <Table dataset={dataset} items={{ items: shown, total }} first={Offset} selection={selection} />
            )}
            {selection.isNarrowed ? (
              <StepPager
                count={shown.length}
                hasMore={items.length > pageOfItems}
                size={pageOfItems}
                what="items found"
              />
            ) : (
              <Pager total={total} size={pageOfItems} what="items" />
            )}
          </>
        )
      }}
    </Ready>
  )
}

type TableProps = {
  readonly dataset: Dataset
  readonly items: Items
  readonly first: number
  readonly selection: Selection
}

function Table({ dataset, items: { items, total }, first, selection }: TableProps) {
  const [columnPage, setColumnPage] = useState(0)
  const columns = [...new Set([...dataset.fields, ...items.flatMap((item) => Object.keys(item))])]
  const left = columnPage * pageOfColumns
  const shown = columns.slice(left, left + pageOfColumns)
  /** The place of an item in the data set is known where all are shown, as they were pushed. */
  const isCountedBack = selection.isNewestFirst && !selection.sort && !selection.isNarrowed
  return (
    <>
      {columns.length > pageOfColumns && (
        <div class="row small filters">
          <span class="soft">
            Columns {left + 1} to {Math.min(columns.length, left + pageOfColumns)} of {columns.length}
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
            disabled={left + pageOfColumns >= columns.length}
            onClick={() => setColumnPage(columnPage + 1)}
          >
            Right
          </button>
        </div>
      )}
      <section class="card flush scroll tall" tabIndex={0} aria-label="Items">
        <table class="table data">
          <thead>
            <tr>
              <th scope="col" class="number">
                No.
              </th>
              {shown.map((name) => (
                <ColumnHead key={name} name={name} sort={selection.sort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item, at) => {
              const number = isCountedBack ? total - first - at : first + at + 1
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
    </>
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
