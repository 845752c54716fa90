/** Makes names last: a rename is durable once the folder that holds the name is synced. */
import { open } from 'node:fs/promises'

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
