/** One data set: its items as a table, export, upload and sharing. */
import { plural } from '../../src/lib/text/plural.ts'
import { readDataset } from '../api/datasets.ts'
import { useLoad } from '../app/load.ts'
import { usePlace } from '../app/location.ts'
import { useSession } from '../app/session.ts'
import type { ViewProps } from '../app/view.ts'
import { Heading } from '../parts/heading.tsx'
import { Ready } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Access } from './access.tsx'
import { Drop } from './drop.tsx'
import { Export } from './export.tsx'
import { Fields } from './fields.tsx'
import { ItemsTable } from './items-table.tsx'
import { Schema } from './schema.tsx'

const tabs = [
  ['items', 'Items'],
  ['export', 'Export'],
  ['add', 'Add'],
  ['fields', 'Fields'],
  ['schema', 'Schema'],
  ['access', 'Share'],
] as const

/** Shared data sets can be read without an account. */
export function DatasetView({ params }: ViewProps) {
  const id = params.id!
  const { path, query } = usePlace()
  const { account } = useSession()
  const tab = query.get('tab') ?? 'items'
  const loaded = useLoad(`dataset ${id}`, () => readDataset(id))
  return (
    <Ready of={loaded}>
      {(dataset) => {
        const isOwn = account?.AccountName.toLowerCase() === dataset.username.toLowerCase()
        return (
          <>
            <Heading
              title={dataset.title || dataset.name || dataset.id}
              note={`${plural(dataset.itemCount, 'item')} · ${dataset.username}`}
            />
            <Tabs
              label="Data set"
              tabs={tabs
                .filter(([name]) => isOwn || !['add', 'schema', 'access'].includes(name))
                .map(([name, text]) => [name === 'items' ? path : `${path}?tab=${name}`, text, tab === name])}
            />
            {tab === 'items' && <ItemsTable dataset={dataset} isOwn={isOwn} />}
            {tab === 'export' && <Export dataset={dataset} />}
            {tab === 'add' && <Drop dataset={dataset} reload={loaded.reload} />}
            {tab === 'fields' && <Fields dataset={dataset} />}
            {tab === 'schema' && <Schema dataset={dataset} replace={loaded.replace} />}
            {tab === 'access' && <Access dataset={dataset} replace={loaded.replace} />}
          </>
        )
      }}
    </Ready>
  )
}
