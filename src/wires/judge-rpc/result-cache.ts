/** A cache of results: what a reading method answered to one caller, until something that it was read from changes. */
import type { Credential } from '../../accounts/actor.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'
import type { ObserveRead } from '../../base/observed.ts'
import { makeCurrentCache, nameCaller } from '../current-cache.ts'
import { hasLongTexts } from './long-text.ts'
import type { Call, Method } from './method.ts'
import { SerializedResult } from './serialized-result.ts'

/** Params are small where they are right; others are not worth a key. */
const maxKeyLength = 1_000

export type ResultCache = (method: Method, call: Call, params: Record<string, unknown>) => Awaitable<object>

export function makeResultCache(observeRead: ObserveRead, clock: Clock): ResultCache {
  const cache = makeCurrentCache<object>(observeRead)
  return (method, call, params) => {
    const { account, credential } = call.actor
    if (!isPlain(params)) return method.run(call, params)
    const moment = method.isTimed ? ` ${Math.floor(clock.now() / 1_000)}` : ''
    const key = `${method.name} ${nameCaller(account)} ${nameOf(credential)} ${JSON.stringify(params)}${moment}`
    if (key.length > maxKeyLength) return method.run(call, params)
    const read = async () => {
      const result = await method.run(call, params)
      return hasLongTexts(result) || !method.isLasting(result) ? result : new SerializedResult(result)
    }
    return cache.get(key, read, (result) => (result instanceof SerializedResult ? result.text.length : undefined))
  }
}

/** One's sessions are told apart: each is shown which of them it is. */
function nameOf(credential: Credential): string {
  if (credential.kind === 'token') return String(credential.token.id)
  return credential.kind === 'session' ? credential.hash : credential.kind
}

/** What reading methods take are texts and numbers. Anything deeper is wrong, and may be deeper than the stack. */
function isPlain(params: Record<string, unknown>): boolean {
  for (const name in params) if (typeof params[name] === 'object' && params[name] !== null) return false
  return true
}
