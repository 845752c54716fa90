/** The limits on uploaded files: the figures of GUILDHALL_FILE_LIMITS. */
export const defaultFileLimits = {
  /** Size of a release asset in MiB, and assets per release. */
  assetMib: 2048,
  assetsPerRelease: 1000,
  /** Size of an attachment of issues and comments in MiB; and of all attachments, per uploader and per repository. */
  attachmentMib: 25,
  attachmentMibPerUser: 1024,
  attachmentMibPerRepository: 10_240,
  /** Size of a large file (Git LFS) in MiB, and files per batch request. */
  lfsMib: 5120,
  lfsBatch: 100,
  /** Size of an imported migration archive in MiB, and its unpacked size. */
  importMib: 16_384,
  importUnpackedMib: 65_536,
}

export type FileLimits = typeof defaultFileLimits
export const mib = 1024 * 1024
