/** Passwords: hashed with argon2id, and verified in the same time whether the account exists or not. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Algorithm } from '@node-rs/argon2'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'

/** The minimum that OWASP recommends for argon2id: 19 MiB, two passes, one lane. */
const usualMemoryKib = 19_456

/** A hash takes one of Node's four threads for file access, which must not wait for hundreds of sign-ins. */
const maxConcurrent = Math.min(availableParallelism(), 3)

/** A class of a few hundred may sign in from one address at once. */
const usualQueue = { perNetwork: 500, inAll: 2_000 }

/** Bound on remembered names that have signed in from a network; each takes about 100 bytes. */
const mostKnown = 100_000

/**
 * The caller a password is hashed for: networks take turns, and within a network the names take turns. Names that have
 * signed in from there have turns of their own, so they never wait for made-up names.
 */
export type Hashing = { readonly address: string; readonly name: string }

export type Passwords = {
  hash(password: string, asker: Hashing): Promise<string>
  /** `stored`: undefined if there is no account or password: then it fails as slowly as with a wrong password. */
  matches(password: string, stored: string | undefined, asker: Hashing): Promise<boolean>
}

export function makePasswords({ perNetwork, inAll } = usualQueue, memoryCost = usualMemoryKib): Passwords {
  const options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost, timeCost: 2, parallelism: 1 }
  let decoy: Promise<string> | undefined
  const { run: takeTurn } = makeFairScheduler({
    slots: maxConcurrent,
    slotsPerCaller: maxConcurrent,
    queuePerCaller: perNetwork,
    queue: inAll,
    what: 'passwords to be checked',
  })
  const known = new Set<string>()
  const placeOf = ({ address, name }: Hashing) => `${networkOf(address)} ${name.toLowerCase()}`
  const inTurn = <T>(asker: Hashing, act: () => Promise<T>): Promise<T> => {
    const network = networkOf(asker.address)
    const caller = known.has(placeOf(asker)) ? `${network} known` : network
    return takeTurn(caller, act, { member: asker.name.toLowerCase() }).catch(asLimited)
  }

  function remember(asker: Hashing): void {
    const place = placeOf(asker)
    known.delete(place)
    if (known.size >= mostKnown) known.delete(known.values().next().value!)
    known.add(place)
  }
  return {
    hash: (password, asker) => inTurn(asker, async () => (await loadArgon2()).hash(password, options)),
    async matches(password, stored, asker) {
      const { hash, verify } = await loadArgon2()
      if (stored) {
        const isRight = await inTurn(asker, () => verify(stored, password))
        if (isRight) remember(asker)
        return isRight
      }
      decoy ??= hash(randomBytes(16), options)
      const other = await decoy
      await inTurn(asker, () => verify(other, password))
      return false
    },
  }
}

/** The queue is full because of this caller's network: that is a limit, no outage. */
function asLimited(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'busy') throw error
  throw new Failure('limited', 'busy', error.message, error.detail)
}

/** Many servers are used with tokens alone: the library is loaded with the first password. */
const loadArgon2 = () => import('@node-rs/argon2')
