/** The desk where admins see who is locked out after too many wrong credentials, and let them in again. */
import type { LockedOut, Lockouts } from '../../accounts/sign-in/lockouts.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { notFound } from '../failures.ts'

export const makeLockoutAdministration = ({ lockouts }: { lockouts: Lockouts }) => ({
  list: (_admin: SiteAdmin): Promise<LockedOut[]> => lockouts.list(),

  async lift({ actor }: SiteAdmin, key: string): Promise<void> {
    if (!(await lockouts.lift(actor, key))) throw notFound()
  },
})
