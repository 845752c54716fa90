/** Routes for site admins: list lock-outs and lift them. */
import type { LockoutAdministration } from '../../../forge/people/lockout-administration.ts'
import { siteAdmin } from '../doors.ts'
import { done } from '../outcomes.ts'
import { ok } from '../rest-answer.ts'
import { type Route, route } from '../route.ts'
import { formatTime } from '../view.ts'

const admin = { door: siteAdmin, resource: 'Lockout' } as const

type Needs = {
  lockoutAdministration: LockoutAdministration
}

export const lockoutRoutes = ({ lockoutAdministration }: Needs): readonly Route[] => [
  route('GET /admin/lockouts', {
    ...admin,
    id: 'list-lockouts',
    summary:
      'Lists who is locked out after too many wrong credentials: names (`password:…`, `credential:user:…`) and addresses (`credential:address:…`, and `credential:cross-site:…` for what pages of other sites had a browser send, and `credential:ssh:…` for keys over SSH).',
    async handle({ target }) {
      const all = await lockoutAdministration.list(target)
      return ok(all.map(({ key, until }) => ({ key, blocked_until: formatTime(until) })))
    },
  }),
  route('DELETE /admin/lockouts/:key', {
    ...admin,
    id: 'lift-a-lockout',
    summary:
      'Lifts a lock-out by its key, or all of a login or an address, and forgets the wrong credentials that led to it.',
    handle: ({ target, params }) => done(lockoutAdministration.lift(target, params.key)),
  }),
]
