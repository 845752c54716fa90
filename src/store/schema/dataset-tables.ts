/** The tables of the data sets room. */
import type { Generated } from 'kysely'

export type DatasetTable = {
  id: Generated<number>
  /** 17 letters and digits: what the outside knows it by. */
  public_id: string
  account_id: number
  name: string | null
  title: string | null
  general_access: string
  /** JSON. */
  schema: string | null
  signing_key: string
  created_at: number
  modified_at: number
  accessed_at: number
  item_count: number
  clean_count: number
  byte_count: number
  read_count: number
  write_count: number
  /** Changes whenever the list of its indexes does; 0 where it never had one. */
  index_version: Generated<number>
}

/** Items that were pushed one after the other: immutable, but joined with their neighbours in time. */
export type DatasetChunkTable = {
  dataset_id: number
  /** The place of the chunk's first item in the data set, from 0. */
  first_item: number
  item_count: number
  byte_count: number
  /** Whether any item has a hidden field; 0 and 1. */
  has_hidden: number
  /** The items, one a line. */
  lines: Uint8Array
  /** JSON: columns and statistics of the items, made when the chunk is full. */
  summary: string | null
}

/** Top-level names seen. A name may be longer than an index takes, and may hold any character: it is JSON beside its hash. */
export type DatasetFieldTable = { dataset_id: number; name_hash: string; name: string; position: number }

/** Removed data sets whose chunks are still to be cleared away. */
export type DatasetRemovalTable = { dataset_id: number }

/** The keys that pushes came with, and what they brought, both hashed. */
export type DatasetPushKeyTable = {
  dataset_id: number
  key_hash: string
  body_hash: string
  /** Which push of the data set it was. */
  push_number: number
  pushed_at: number
}

/** An index on a field of a data set; one of no data set is being cleared away. */
export type DatasetIndexTable = {
  id: Generated<number>
  dataset_id: number | null
  position: number
  /** JSON: the segments of the path. */
  path: string
  /** The first so many items have entries. */
  item_count: number
  byte_count: number
}

export type DatasetIndexEntryTable = { index_id: number; value_key: Uint8Array; item: number }

export type DatasetsSchema = {
  dataset: DatasetTable
  dataset_chunk: DatasetChunkTable
  dataset_field: DatasetFieldTable
  dataset_removal: DatasetRemovalTable
  dataset_push_key: DatasetPushKeyTable
  dataset_index: DatasetIndexTable
  dataset_index_entry: DatasetIndexEntryTable
}
