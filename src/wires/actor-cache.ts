/** A cache of actors by connection: the same credential comes on it again and again, and need not be looked up each time. */
import type { Socket } from 'node:net'
import type { Actor } from '../accounts/actor.ts'
import { type Awaitable, whenKnown } from '../base/awaitable.ts'
import type { Clock } from '../base/clock.ts'
import type { ObserveRead } from '../base/observed.ts'

/** After so long a token is looked up in any case: that is when its use is recorded. */
const keptMs = 1_000

type CachedActor = {
  readonly authorization: string
  readonly actor: Actor
  readonly until: number
  isCurrent(): Awaitable<boolean>
}

type Credential = { readonly socket: Socket; readonly authorization: string; readonly address: string }

export function makeActorCache({ observeRead, clock }: { observeRead: ObserveRead; clock: Clock }) {
  const cache = new WeakMap<Socket, CachedActor>()

  function findKnown({ socket, authorization, address }: Credential): CachedActor | undefined {
    const known = cache.get(socket)
    const isSame = known?.authorization === authorization && known.actor.address === address
    return isSame && clock.now() < known.until ? known : undefined
  }

  function lookUp({ socket, authorization }: Credential, find: () => Awaitable<Actor>): Awaitable<Actor> {
    const { answer, isCurrent } = observeRead(find)
    return whenKnown(answer, (actor) => {
      if (actor.credential.kind !== 'token') return actor
      const expiresAt = actor.credential.token.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
      cache.set(socket, { authorization, actor, until: Math.min(clock.now() + keptMs, expiresAt), isCurrent })
      return actor
    })
  }

  return {
    find(credential: Credential, find: () => Awaitable<Actor>): Awaitable<Actor> {
      const known = findKnown(credential)
      if (!known) return lookUp(credential, find)
      return whenKnown(known.isCurrent(), (isCurrent) => (isCurrent ? known.actor : lookUp(credential, find)))
    },
  }
}
