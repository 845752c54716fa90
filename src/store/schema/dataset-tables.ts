/** The tables of data sets. */
import type { Generated } from 'kysely'

export type DatasetTable = {
  id: Generated<number>
  /** 17 letters and digits: its id in the API. */
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
  /** Changes whenever the list of its indexes does; 0 if it never had one. */
  index_version: Generated<number>
}

/** Items pushed one after another: immutable, but merged with neighbouring chunks over time. */
export type DatasetChunkTable = {
  dataset_id: number
  /** The index of the chunk's first item in the data set, from 0. */
  first_item: number
  item_count: number
  byte_count: number
  /** Whether any item has a hidden field: 0 or 1. */
  has_hidden: number
  /** The items, one per line. */
  lines: Uint8Array
  /** JSON: columns and statistics of the items, made when the chunk is full. */
  summary: string | null
}

/**
 * Top-level names seen. A name may be too long for an index and contain any character: it is stored as JSON beside its
 * hash.
 */
export type DatasetFieldTable = { dataset_id: number; name_hash: string; name: string; position: number }

/** Removed data sets whose chunks have not been deleted yet. */
export type DatasetRemovalTable = { dataset_id: number }

/** The keys of pushes, and their contents, both hashed. */
export type DatasetPushKeyTable = {
  dataset_id: number
  key_hash: string
  body_hash: string
  /** The number of the push in the data set. */
  push_number: number
  pushed_at: number
}

/** An index on a field of a data set; one without a data set is being deleted. */
export type DatasetIndexTable = {
  id: Generated<number>
  dataset_id: number | null
  position: number
  /** JSON: the segments of the path. */
  path: string
  /** How many items, from the first, have entries. */
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
