/** The tables of commit statuses and comments, branch protection, releases, assets and attachments. */
import type { Generated } from 'kysely'

export type CommitStatusTable = {
  id: Generated<number>
  repository_id: number
  sha: string
  context: string
  state: 'error' | 'failure' | 'pending' | 'success'
  target_url: string | null
  description: string | null
  creator_id: number
  created_at: number
}

export type BranchProtectionTable = {
  repository_id: number
  branch: string
  /** JSON object. */
  rules: string
  created_at: number
  updated_at: number
}

export type CommitCommentTable = {
  id: Generated<number>
  repository_id: number
  sha: string
  author_id: number
  path: string | null
  position: number | null
  line: number | null
  body: string
  created_at: number
  updated_at: number
}

export type ReleaseTable = {
  id: Generated<number>
  repository_id: number
  author_id: number
  tag: string
  /** What the tag is created from if it does not exist yet. */
  target: string
  name: string | null
  body: string | null
  is_draft: number
  is_prerelease: number
  /** Whether it is the latest: stated explicitly, or decided by its time (`legacy`). */
  latest: 'true' | 'false' | 'legacy'
  created_at: number
  updated_at: number
  published_at: number | null
}

export type ReleaseAssetTable = {
  id: Generated<number>
  release_id: number
  uploader_id: number
  name: string
  label: string | null
  content_type: string
  blob_hash: string
  size: number
  download_count: number
  created_at: number
  updated_at: number
}

export type AttachmentTable = {
  id: Generated<number>
  uuid: string
  repository_id: number
  uploader_id: number
  name: string
  content_type: string
  blob_hash: string
  size: number
  created_at: number
}

/**
 * A blob that may have no reference left, and since when; 0 means at once. Written by triggers, and for each upload
 * until a row references it.
 */
export type BlobDeletionTable = { blob_hash: string; deleted_at: number }

export type CommitsSchema = {
  commit_status: CommitStatusTable
  branch_protection: BranchProtectionTable
  commit_comment: CommitCommentTable
  release: ReleaseTable
  release_asset: ReleaseAssetTable
  attachment: AttachmentTable
  blob_deletion: BlobDeletionTable
}
