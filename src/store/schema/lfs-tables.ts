/** The tables of large files (Git LFS). */
import type { Generated } from 'kysely'

/** An object sent to this repository, or inherited from the one it was forked from; `blob_hash` is also its LFS oid. */
export type LfsObjectTable = {
  id: Generated<number>
  repository_id: number
  blob_hash: string
  size: number
  created_at: number
}

/** Maintained by triggers. A repository without a row has none. */
export type LfsUsageTable = { repository_id: number; byte_count: number }

export type LfsLockTable = {
  id: Generated<number>
  repository_id: number
  path: string
  owner_id: number
  created_at: number
}

/** An object that a pull into the repository refers to; it is read from the pull's own repository while that has it. */
export type LfsBorrowingTable = { repository_id: number; lender_id: number; blob_hash: string }

export type LfsSchema = {
  lfs_object: LfsObjectTable
  lfs_usage: LfsUsageTable
  lfs_lock: LfsLockTable
  lfs_borrowing: LfsBorrowingTable
}
