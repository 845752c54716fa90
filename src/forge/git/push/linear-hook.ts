/**
 * The only hook that git runs here. It checks pushes to branches with required linear history, whose commits cannot be
 * inspected earlier.
 */
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../../lib/failure.ts'

export const hooksFolder = join(import.meta.dirname, 'hooks')

/** Git silently skips a hook that it cannot start. Such a branch then takes no pushes. */
export async function demandHook(): Promise<void> {
  await access(join(hooksFolder, 'update'), constants.X_OK).catch(() => {
    throw new Failure(
      'unavailable',
      'hook-missing',
      `This server can’t start ${hooksFolder}/update: make it executable.`,
    )
  })
}
