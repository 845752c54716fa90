/** Presents a Git LFS lock in the format of clients. */
import type { LfsLock } from '../../../forge/lfs/lfs-locks.ts'

export const presentLock = ({ id, path, owner, createdAt }: LfsLock) => ({
  id: String(id),
  path,
  locked_at: createdAt.toISOString().replace(/\.\d+Z$/, 'Z'),
  owner: { name: owner.login },
})
