/** Data sets, their items in chunks, and the field names of their items. */
import type { Ddl } from './ddl.ts'

export const datasets = ({ id, bytes }: Ddl): string[] => [
  `create table dataset (
    id ${id},
    public_id text not null unique,
    account_id bigint not null references account (id) on delete cascade,
    name text,
    title text,
    general_access text not null,
    schema text,
    signing_key text not null,
    created_at bigint not null,
    modified_at bigint not null,
    accessed_at bigint not null,
    item_count bigint not null,
    clean_count bigint not null,
    byte_count bigint not null,
    read_count bigint not null,
    write_count bigint not null
  )`,
  'create unique index dataset_by_name on dataset (account_id, name)',
  'create index dataset_by_account on dataset (account_id, id)',
  'create index dataset_by_access on dataset (accessed_at) where name is null',
  // No reference to the data set: chunks are deleted gradually after it.
  `create table dataset_chunk (
    dataset_id bigint not null,
    first_item bigint not null,
    item_count bigint not null,
    byte_count bigint not null,
    has_hidden bigint not null,
    summary text,
    lines ${bytes} not null,
    primary key (dataset_id, first_item)
  )`,
  'create index dataset_chunk_small on dataset_chunk (dataset_id, first_item, byte_count) where byte_count < 1048576',
  `create table dataset_field (
    dataset_id bigint not null references dataset (id) on delete cascade,
    name_hash text not null,
    name text not null,
    position bigint not null,
    primary key (dataset_id, name_hash)
  )`,
  'create table dataset_removal (dataset_id bigint primary key)',
]
