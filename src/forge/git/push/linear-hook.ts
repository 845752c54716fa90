/** The only hook that git runs here: it checks pushes to branches with required linear history, whose commits nobody can inspect earlier. */
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../../lib/failure.ts'

export const hooksFolder = join(import.meta.dirname, 'hooks')

/** git passes over a hook that it can't start, and says nothing: then such a branch takes no push. */
export async function demandHook(): Promise<void> {
  await access(join(hooksFolder, 'update'), constants.X_OK).catch(() => {
    throw new Failure(
      'unavailable',
      'hook-missing',
      `This server can’t start ${hooksFolder}/update: make it executable.`,
    )
  })
}
