/** Syncs a folder: only then is a new name or a rename in it durable. */
import { open } from 'node:fs/promises'

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
