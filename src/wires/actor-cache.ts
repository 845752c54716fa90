/** A cache of actors by connection: the same credential comes on it again and again, and need not be looked up each time. */
import type { Socket } from 'node:net'
import type { Actor } from '../accounts/actor.ts'
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'

/** After so long a token is looked up in any case: that is when its use is recorded. */
const keptMs = 1_000

type CachedActor = {
  readonly authorization: string
  readonly actor: Actor
  readonly changes: number
  readonly until: number
}

/** An entry is valid until something is committed. `changes` counts commits; where it can't, nothing is cached. */
export function makeActorCache({ changes, clock }: { changes(): number | undefined; clock: Clock }) {
  const cache = new WeakMap<Socket, CachedActor>()

  return (
    { socket, authorization, address }: { socket: Socket; authorization: string; address: string },
    find: () => Awaitable<Actor>,
  ): Awaitable<Actor> => {
    const seen = changes()
    if (seen === undefined) return find()
    const known = cache.get(socket)
    if (
      known?.changes === seen &&
      known.authorization === authorization &&
      known.actor.address === address &&
      clock.now() < known.until
    )
      return known.actor
    return whenKnown(find(), (actor) => {
      if (actor.credential.kind !== 'token') return actor
      const expiresAt = actor.credential.token.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
      cache.set(socket, { authorization, actor, changes: seen, until: Math.min(clock.now() + keptMs, expiresAt) })
      return actor
    })
  }
}
