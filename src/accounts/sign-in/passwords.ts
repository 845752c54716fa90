/** Passwords: hashed with argon2id, and verified in the same time whether the account exists or not. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Algorithm } from '@node-rs/argon2'
import { makeSemaphore } from '../../base/semaphore.ts'

/** These are the least parameters that OWASP recommends for argon2id: 19 MiB, two passes, one lane. */
const options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash takes one of the four threads on which Node reads and writes files as well: file access must not wait for hundreds of sign-ins. */
const maxConcurrent = Math.min(availableParallelism(), 3)

export type Passwords = {
  hash(password: string): Promise<string>
  /** `stored` is undefined for an account that does not exist or has no password: it fails, as slowly as a wrong password does. */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

export function makePasswords(): Passwords {
  let decoy: Promise<string> | undefined
  const limited = makeSemaphore(maxConcurrent)
  return {
    hash: (password) => limited(async () => (await loadArgon2()).hash(password, options)),
    async matches(password, stored) {
      const { hash, verify } = await loadArgon2()
      if (stored) return limited(() => verify(stored, password))
      decoy ??= hash(randomBytes(16), options)
      const other = await decoy
      await limited(() => verify(other, password))
      return false
    },
  }
}

/** Many a server is used with tokens alone for days: the library is loaded with the first password. */
const loadArgon2 = () => import('@node-rs/argon2')
