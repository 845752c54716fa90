/** The fields of a data set and their statistics, each as a small bar. */
import { type Dataset, readStatistics } from '../api/datasets.ts'
import { useLoad } from '../app/load.ts'
import { formatCount } from '../parts/figures.ts'
import { Empty, Ready } from '../parts/state.tsx'

const mostShown = 500

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
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Filled</th>
                  <th scope="col" class="number">
                    Least
                  </th>
                  <th scope="col" class="number">
                    Greatest
                  </th>
                  <th scope="col" class="number">
                    Null
                  </th>
                  <th scope="col" class="number">
                    Missing
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.slice(0, mostShown).map(([name, { min, max, nullCount = 0, emptyCount = 0 }]) => {
                  const filled = 1 - (nullCount + emptyCount) / Math.max(1, dataset.itemCount)
                  return (
                    <tr key={name}>
                      <td>{name}</td>
                      <td>
                        <div class="share">
                          <span class="small">{Math.round(filled * 100)} %</span>
                          <span class="share-bar" aria-hidden="true">
                            <span style={{ width: `${filled * 100}%` }} />
                          </span>
                        </div>
                      </td>
                      <td class="number">{min ?? ''}</td>
                      <td class="number">{max ?? ''}</td>
                      <td class="number soft">{formatCount(nullCount)}</td>
                      <td class="number soft">{formatCount(emptyCount)}</td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
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
