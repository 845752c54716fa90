/** Passwords: argon2id, and the same time for a name that nobody has. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { type Algorithm, hash, verify } from '@node-rs/argon2'

/** OWASP's recommended floor for argon2id: 19 MiB, two passes, one lane. */
const options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each takes one of the four threads on which Node reads and writes files, too: those must not wait for hundreds of sign-ins. */
const atOnce = Math.min(availableParallelism(), 3)

export type Passwords = {
  hash(password: string): Promise<string>
  /** `stored` is undefined for an account that is not there or has no password: it fails, as slowly as a wrong one. */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

export function makePasswords(): Passwords {
  let decoy: Promise<string> | undefined
  const inTurn = makeTurns(atOnce)
  return {
    hash: (password) => inTurn(() => hash(password, options)),
    async matches(password, stored) {
      if (stored) return inTurn(() => verify(stored, password))
      decoy ??= hash(randomBytes(16), options)
      const other = await decoy
      await inTurn(() => verify(other, password))
      return false
    },
  }
}

/** So many run, the others wait in the order they came. */
function makeTurns(count: number): <T>(act: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = count
  return async (act) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
