/** Passwords: hashed with argon2id, and verified in the same time whether the account exists or not. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Algorithm } from '@node-rs/argon2'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'

/** These are the least parameters that OWASP recommends for argon2id: 19 MiB, two passes, one lane. */
const usualMemoryKib = 19_456

/** A hash takes one of the four threads on which Node reads and writes files as well: file access must not wait for hundreds of sign-ins. */
const maxConcurrent = Math.min(availableParallelism(), 3)

/** A class of some hundred may sign in from behind one address at once. */
const usualQueue = { perNetwork: 500, inAll: 2_000 }

/** Who has signed in from a network of late: so many are remembered, each in some 100 bytes. */
const mostKnown = 100_000

/**
 * For whom a password is hashed: networks take turns, and within each the names that are asked about. Names that have signed
 * in from there have turns of their own: however many others are made up, they wait for none of them.
 */
export type Hashing = { readonly address: string; readonly name: string }

export type Passwords = {
  hash(password: string, asker: Hashing): Promise<string>
  /** `stored` is undefined for an account that does not exist or has no password: it fails, as slowly as a wrong password does. */
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

/** It is their own doing, or that of their network, and no outage. */
function asLimited(error: unknown): never {
  if (!(error instanceof Failure) || error.code !== 'busy') throw error
  throw new Failure('limited', 'busy', error.message, error.detail)
}

/** Many a server is used with tokens alone for days: the library is loaded with the first password. */
const loadArgon2 = () => import('@node-rs/argon2')
