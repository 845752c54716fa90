/** Indexes of data sets: the indexed fields, the progress of each, and entries sorted by key. */
import type { Ddl } from './ddl.ts'

export const datasetIndexes = ({ engine, id, bytes }: Ddl): string[] => [
  // Changes with the list of indexes; 0 if there never was one, so that most pushes need no look-up.
  'alter table dataset add column index_version bigint not null default 0',
  // An index without a data set is deleted for everyone, and its entries are removed gradually.
  `create table dataset_index (
    id ${id},
    dataset_id bigint references dataset (id) on delete set null,
    position bigint not null,
    path text not null,
    item_count bigint not null,
    byte_count bigint not null
  )`,
  'create index dataset_index_by_dataset on dataset_index (dataset_id, position)',
  `create table dataset_index_entry (
    index_id bigint not null,
    value_key ${bytes} not null,
    item bigint not null,
    primary key (index_id, value_key, item)
  )${engine === 'sqlite' ? ' without rowid' : ''}`,
]
