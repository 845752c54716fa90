/** Lets admins list who is locked out after too many wrong credentials, and lift lock-outs. */
import type { LockedOut, Lockouts } from '../../accounts/sign-in/lockouts.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { notFound } from '../failures.ts'

export type LockoutAdministration = ReturnType<typeof makeLockoutAdministration>

export const makeLockoutAdministration = ({ lockouts }: { lockouts: Lockouts }) => ({
  list: (_admin: SiteAdmin): Promise<LockedOut[]> => lockouts.list(),

  async lift({ actor }: SiteAdmin, key: string): Promise<void> {
    if (!(await lockouts.lift(actor, key))) throw notFound()
  },
})
