/** The fields of a data set and their statistics, each as a small bar. */
import { type Dataset, type FieldStatistics, readStatistics } from '../api/datasets.ts'
import { useLoad } from '../app/load.ts'
import { formatCount } from '../parts/figures.ts'
import { Empty, Ready } from '../parts/state.tsx'
import { type Column, Table } from '../parts/table.tsx'

const mostShown = 500

type Row = readonly [name: string, statistics: FieldStatistics]

const columnsOf = ({ itemCount }: Dataset): readonly Column<Row>[] => [
  { head: 'Field', cell: ([name]) => name },
  {
    head: 'Present',
    cell: ([, { nullCount = 0, emptyCount = 0 }]) => (
      <Filled part={1 - (nullCount + emptyCount) / Math.max(1, itemCount)} />
    ),
  },
  { head: 'Minimum', class: 'number', cell: ([, { min }]) => min ?? '' },
  { head: 'Maximum', class: 'number', cell: ([, { max }]) => max ?? '' },
  { head: 'Null', class: 'number', look: 'soft', cell: ([, { nullCount = 0 }]) => formatCount(nullCount) },
  { head: 'Missing', class: 'number', look: 'soft', cell: ([, { emptyCount = 0 }]) => formatCount(emptyCount) },
]

const Filled = ({ part }: { part: number }) => (
  <div class="share">
    <span class="small">{Math.round(part * 100)} %</span>
    <span class="share-bar" aria-hidden="true">
      <span style={{ width: `${part * 100}%` }} />
    </span>
  </div>
)

export function Fields({ dataset }: { dataset: Dataset }) {
  const loaded = useLoad(`statistics ${dataset.id} ${dataset.itemCount}`, () => readStatistics(dataset.id))
  return (
    <Ready of={loaded}>
      {({ fieldStatistics }) => {
        const all = Object.entries(fieldStatistics)
        if (all.length === 0)
          return (
            <div class="card">
              <Empty title="There are no fields yet" />
            </div>
          )
        return (
          <section class="card flush scroll" tabIndex={0} aria-label="Fields">
            <Table rows={all.slice(0, mostShown)} columns={columnsOf(dataset)} keyOf={([name]) => name} />
            <p class="soft small card-title">For text, minimum and maximum are lengths.</p>
            {all.length > mostShown && (
              <p class="soft small card-title">
                The first {mostShown} of {all.length} fields.
              </p>
            )}
          </section>
        )
      }}
    </Ready>
  )
}
