/** From a method's name to what comes of it: whether there is one, whether the caller may come in, and its result or error. */
import type { Actor } from '../../accounts/actor.ts'
import { hasScope } from '../../accounts/token.ts'
import { demand, Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { Caller } from '../authenticate.ts'
import { toRpcError } from './errors.ts'
import type { Call, Method } from './method.ts'
import { type Dispatch, methodNotFound, protocolError } from './protocol.ts'

type Needs = { readonly methods: readonly Method[]; readonly log: Log }

/** `isForeign`: the caller's cookie came from another site's page. */
export function makeDispatching({ methods, log }: Needs) {
  const byName = new Map(methods.map((method) => [method.name, method]))

  return (call: Call, caller: Caller, isForeign: boolean): Dispatch =>
    async (name, params) => {
      try {
        const method = byName.get(name)
        if (!method) return { error: protocolError(methodNotFound, `There is no method ${quote(name)}.`) }
        if (isForeign) throw foreignOrigin()
        if (!method.isOpen(params)) requireSignedIn(call.actor, caller)
        return { result: await method.run(call, params) }
      } catch (error) {
        return { error: toRpcError(error, call.requestId, log) }
      }
    }
}

/** The contract's order: 17 comes before the params are looked at; what a token may not, after it is known to be one. */
function requireSignedIn(actor: Actor, caller: Caller): void {
  const hint = caller.isUnknown ? 'The session or token is unknown or has expired: sign in again.' : 'Sign in first.'
  demand(actor.account, 'unauthenticated', 'sign-in-needed', hint)
  if (actor.credential.kind !== 'token') return
  const { token } = actor.credential
  const serves = token.kind === 'classic' && hasScope(token, 'judge')
  demand(
    serves,
    'forbidden',
    'scope-missing',
    'This needs a session, or a classic personal token with the scope judge.',
  )
}

const foreignOrigin = () =>
  new Failure('forbidden', 'foreign-origin', 'A session cookie counts only from this server’s own pages.')

const quote = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
