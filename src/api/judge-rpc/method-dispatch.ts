/**
 * Dispatching: finds the method of a call, checks sign-in if the method requires it, and returns a result or an error.
 */
import type { Actor } from '../../accounts/actor.ts'
import { requireJudgeScope } from '../../judge/access.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Caller } from '../identity/authenticate.ts'
import type { DemandRate } from './call-rate.ts'
import { toRpcError } from './errors.ts'
import type { JudgeCall, Method } from './method.ts'
import { type Dispatch, methodNotFound, protocolError } from './protocol.ts'

type Needs = {
  readonly methods: readonly Method[]
  readonly log: Log
  readonly demandRate: DemandRate
}

/** `isCrossSite`: the caller's cookie was sent with a request from another site's page. */
export function makeMethodDispatch({ methods, log, demandRate }: Needs) {
  const byName = new Map(methods.map((method) => [method.name, method]))

  return (call: JudgeCall, caller: Caller, isCrossSite: boolean): Dispatch => {
    let isFirst = true
    return async (name, params) => {
      try {
        // The caller is identified again for each call of a batch: the call before may have waited for half a minute.
        if (!isFirst) await call.identifyAgain()
        isFirst = false
        demandRate(call.actor)
        const method = byName.get(name)
        if (!method) return { error: protocolError(methodNotFound, `There is no method ${quote(name)}.`) }
        if (isCrossSite) throw crossSite()
        if (!method.isOpen(params)) requireSignedIn(call.actor, caller)
        return { result: await method.run(call, params) }
      } catch (error) {
        return { error: toRpcError(error, call.requestId, log) }
      }
    }
  }
}

/**
 * The contract's order: 17 comes before the params are checked, and a missing scope once the token's owner is known.
 */
function requireSignedIn(actor: Actor, caller: Caller): void {
  const hint = caller.isUnknown ? 'The session or token is unknown or has expired: sign in again.' : 'Sign in first.'
  demand(actor.account, 'unauthenticated', 'sign-in-needed', hint)
  requireJudgeScope(actor)
}

const crossSite = () =>
  new Failure('forbidden', 'foreign-origin', 'A session cookie counts only from this server’s own pages.')

const quote = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
