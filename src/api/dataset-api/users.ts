/** Users in this API: the caller, and the public part of any user. */

import { demandAccount, mayAsSelf } from '../../datasets/access.ts'
import { demand } from '../../lib/failure.ts'
import { presentUser } from './present.ts'
import type { DatasetApi, Handler, Routes } from './route.ts'

export function makeUserRoutes({ accounts }: DatasetApi): Routes {
  const me: Handler = async ({ actor }) => {
    demandAccount(actor, 'read')
    return { data: presentUser(actor.account, true) }
  }

  const get: Handler = async ({ actor, request }) => {
    const userId = request.params.userId!
    const byId = /^\d{1,15}$/.test(userId) ? await accounts.findById(Number(userId)) : undefined
    const account = byId ?? (/^[A-Za-z0-9-]+$/.test(userId) ? await accounts.findByName(userId) : undefined)
    demand(account, 'not-found', 'record-not-found', 'There is no such user.')
    return { data: presentUser(account, mayAsSelf(actor, account.id)) }
  }

  return { '/users/me': { GET: me, HEAD: me }, '/users/:userId': { GET: get, HEAD: get } }
}
