/** Who was met on a connection: the same credential comes on it again and again, and need not be looked up each time. */
import type { Socket } from 'node:net'
import type { Actor } from '../../accounts/actor.ts'
import { type Awaitable, whenKnown } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'

/** After so long a token is looked up in any case: that is when its use is recorded. */
const keptMs = 1_000

type Acquaintance = {
  readonly authorization: string
  readonly actor: Actor
  readonly changes: number
  readonly until: number
}

/** What a credential is worth, it is worth until the next commit. `changes` counts those, where it can. */
export function makeAcquaintances({ changes, clock }: { changes(): number | undefined; clock: Clock }) {
  const met = new WeakMap<Socket, Acquaintance>()

  return (
    { socket, authorization, address }: { socket: Socket; authorization: string; address: string },
    find: () => Awaitable<Actor>,
  ): Awaitable<Actor> => {
    const seen = changes()
    if (seen === undefined) return find()
    const known = met.get(socket)
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
      met.set(socket, { authorization, actor, changes: seen, until: Math.min(clock.now() + keptMs, expiresAt) })
      return actor
    })
  }
}
