/** Whether this machine lets the tests make cgroups; where it does not, those that need one are skipped by name. */
import { openCgroups } from '../../src/executor/sandboxes/cgroups/cgroups.ts'
import type { Omission } from '../../src/executor/sandboxes/omissions.ts'
import { generateOwner } from '../../src/executor/sandboxes/owner.ts'

export async function hasCgroup(): Promise<boolean> {
  const { cgroups } = openCgroups(generateOwner())
  await cgroups?.close()
  return cgroups !== null
}

/** What an executor of a test goes without. */
export const without: readonly Omission[] = process.env.GUILDHALL_EXECUTOR_WITHOUT === 'limits' ? ['limits'] : []
export const skipWithoutCgroup = without.length > 0 && 'this machine has no cgroup'
