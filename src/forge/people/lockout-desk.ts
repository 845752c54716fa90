/** The desk where admins see who is locked out after too many wrong credentials, and let them in again. */
import type { Actor } from '../../accounts/actor.ts'
import type { LockedOut, Lockouts } from '../../accounts/sign-in/lockouts.ts'
import { demandSiteAdmin } from '../access/need.ts'
import { notFound } from '../faults.ts'

export const makeLockoutDesk = ({ lockouts }: { lockouts: Lockouts }) => ({
  async list(actor: Actor): Promise<LockedOut[]> {
    demandSiteAdmin(actor)
    return lockouts.list()
  },

  async lift(actor: Actor, key: string): Promise<void> {
    demandSiteAdmin(actor)
    if (!(await lockouts.lift(key))) throw notFound()
  },
})
