/** One's data sets, and a new one. */
import { useState } from 'preact/hooks'
import { type Dataset, listDatasets, makeDataset } from '../api/datasets.ts'
import { go } from '../app/location.ts'
import { useSignedIn } from '../app/page.ts'
import { formatBytes, formatCount } from '../parts/figures.ts'
import { Form, Submit, useAct } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { Empty } from '../parts/state.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { DatasetNameField } from './dataset-name.tsx'

export function Datasets() {
  const isSignedIn = useSignedIn()
  return isSignedIn ? <View /> : null
}

async function readDatasets({ Offset, Limit }: { Offset: number; Limit: number }) {
  const { total, items } = await listDatasets(Offset, Limit)
  return { total, list: items }
}

const columns: readonly Column<Dataset>[] = [
  {
    head: 'Name',
    cell: ({ id, name }) => (
      <>
        <a href={`/-/datasets/${id}`}>{name ?? id}</a> {!name && <span class="badge">unnamed</span>}
      </>
    ),
  },
  { head: 'Items', class: 'number', cell: ({ itemCount }) => formatCount(itemCount) },
  {
    head: 'Size',
    class: 'number wide-only',
    look: 'soft',
    cell: ({ stats }) => formatBytes(stats?.storageBytes ?? 0),
  },
  { head: 'Changed', class: 'number', look: 'soft', cell: ({ modifiedAt }) => <When at={Date.parse(modifiedAt)} /> },
]

const View = () => (
  <>
    <Heading title="Data sets" note="Browse items and export them in nine formats." />
    <div class="side">
      <PagedList name="datasets" what="data sets" empty={<NoDatasets />} read={readDatasets}>
        {(list) => <Table rows={list} columns={columns} keyOf={({ id }) => id} />}
      </PagedList>
      <NewDataset />
    </div>
  </>
)

const NoDatasets = () => (
  <Empty title="You have no data sets yet">
    <p>Create one here, then upload a JSON, JSON lines or CSV file.</p>
  </Empty>
)

function NewDataset() {
  const act = useAct()
  const [name, setName] = useState('')
  const submit = async () => {
    const { id } = await makeDataset(name)
    go(`/-/datasets/${id}`)
  }
  return (
    <section class="card" aria-labelledby="new">
      <h2 id="new">New data set</h2>
      <Form act={act} submit={submit}>
        <DatasetNameField
          label="Name"
          hint="Letters, digits and hyphens. If you have a data set with this name, it opens."
          value={name}
          write={setName}
        />
        <Submit act={act}>Create</Submit>
      </Form>
    </section>
  )
}
