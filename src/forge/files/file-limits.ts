/** The limits on uploaded files: the figures of GUILDHALL_FILE_LIMITS. */
export const defaultFileLimits = {
  /** A file of a release, in MiB, and how many a release has. */
  assetMib: 2048,
  assetsPerRelease: 1000,
  /** A file for issues and comments, in MiB; and all of them, by who uploaded them and by repository. */
  attachmentMib: 25,
  attachmentMibPerUser: 1024,
  attachmentMibPerRepository: 10_240,
  /** A large file (Git LFS), in MiB, and how many are asked about in one batch. */
  lfsMib: 5120,
  lfsBatch: 100,
  /** The archive of a migration that is imported, in MiB, and what it unpacks to. */
  importMib: 16_384,
  importUnpackedMib: 65_536,
}

export type FileLimits = typeof defaultFileLimits
export const mib = 1024 * 1024
