/** Stores a sheet's results as a data set, and leads to the one that was stored before. */
import { useState } from 'preact/hooks'
import { findDatasets } from '../../api/datasets.ts'
import { call } from '../../api/rpc.ts'
import { useLoad } from '../../app/load.ts'
import { DatasetNameField } from '../../datasets/dataset-name.tsx'
import { formatCount } from '../../parts/figures.ts'
import { Form, Submit, useAct } from '../../parts/form.tsx'
import { Done } from '../../parts/state.tsx'
import { When } from '../../parts/when.tsx'

export function StoreResults({ id }: { id: number }) {
  const act = useAct()
  const usual = `sheet-${id}`
  const [name, setName] = useState(usual)
  const stored = useLoad(`data set ${usual}`, async () => {
    const { items } = await findDatasets(usual, 100)
    return items.find((dataset) => dataset.name === usual)
  })
  const [made, setMade] = useState<{ readonly id: string; readonly name: string; readonly count: number }>()
  const submit = async () => {
    setMade(undefined)
    const { DatasetID, DatasetName, ItemCount } = await call('store_sheet_results', { SheetID: id, Name: name })
    setMade({ id: DatasetID, name: DatasetName, count: ItemCount })
    stored.reload()
  }
  return (
    <section class="card text-width" aria-labelledby="store-results">
      <h2 id="store-results">Data set</h2>
      <p class="soft small">
        Stores the results, a row for each student, in a data set of yours. Use the same name again to update it.
        {stored.value && (
          <>
            {' '}
            <a href={`/-/datasets/${stored.value.id}`}>{usual}</a> was stored{' '}
            <When at={Date.parse(stored.value.modifiedAt)} />.
          </>
        )}
      </p>
      <Form act={act} submit={submit}>
        <DatasetNameField
          label="Name of the data set"
          hint="Letters, digits and hyphens."
          value={name}
          write={setName}
        />
        <Submit act={act} busy="Storing …">
          Store results
        </Submit>
      </Form>
      {made && (
        <div class="below">
          <Done>
            <a href={`/-/datasets/${made.id}`}>{made.name}</a> has{' '}
            {made.count === 1 ? '1 row' : `${formatCount(made.count)} rows`}.
          </Done>
        </div>
      )}
    </section>
  )
}
