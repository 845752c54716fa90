/** A data set as the rest of the server sees it, and the rules for its members. */
import type { Selectable } from 'kysely'
import { demand } from '../lib/failure.ts'
import type { DatasetTable } from '../store/schema/dataset-tables.ts'

export const generalAccesses = [
  'FOLLOW_USER_SETTING',
  'RESTRICTED',
  'ANYONE_WITH_ID_CAN_READ',
  'ANYONE_WITH_NAME_CAN_READ',
] as const
export type GeneralAccess = (typeof generalAccesses)[number]

export type Dataset = {
  /** The row's own id, which is never shown. */
  readonly key: number
  readonly id: string
  readonly ownerId: number
  readonly ownerName: string
  readonly name: string | null
  readonly title: string | null
  readonly generalAccess: GeneralAccess
  /** Undefined in a list that leaves it out. */
  readonly schema: unknown
  readonly signingKey: string
  readonly createdAt: Date
  readonly modifiedAt: Date
  readonly accessedAt: Date
  readonly itemCount: number
  readonly cleanItemCount: number
  readonly byteCount: number
  readonly readCount: number
  readonly writeCount: number
  /** Changes with the list of its indexes; 0 if it never had one. */
  readonly indexVersion: number
}

/** An unnamed data set expires this long after it was last used. */
export const unnamedLifeMs = 7 * 24 * 3600_000

export type DatasetRow = Selectable<DatasetTable> & { owner_name: string }

export const toDataset = (row: DatasetRow): Dataset => ({
  key: row.id,
  id: row.public_id,
  ownerId: row.account_id,
  ownerName: row.owner_name,
  name: row.name,
  title: row.title,
  generalAccess: row.general_access as GeneralAccess,
  schema: row.schema === null ? null : JSON.parse(row.schema),
  signingKey: row.signing_key,
  createdAt: new Date(row.created_at),
  modifiedAt: new Date(row.modified_at),
  accessedAt: new Date(row.accessed_at),
  itemCount: row.item_count,
  cleanItemCount: row.clean_count,
  byteCount: row.byte_count,
  readCount: row.read_count,
  writeCount: row.write_count,
  indexVersion: row.index_version,
})

export function demandName(name: string): void {
  demand(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(name),
    'invalid',
    'invalid-value',
    'The name of a data set has 1 to 63 letters, digits or hyphens, and no hyphen at an end.',
  )
}
