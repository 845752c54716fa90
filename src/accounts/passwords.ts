/** Passwords: argon2id, and the same time for a name that nobody has. */
import { randomBytes } from 'node:crypto'
import { type Algorithm, hash, verify } from '@node-rs/argon2'

/** OWASP's recommended floor for argon2id: 19 MiB, two passes, one lane. */
const options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export type Passwords = {
  hash(password: string): Promise<string>
  /** `stored` is undefined for an account that is not there or has no password: it fails, as slowly as a wrong one. */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

export function makePasswords(): Passwords {
  let decoy: Promise<string> | undefined
  return {
    hash: (password) => hash(password, options),
    async matches(password, stored) {
      if (stored) return verify(stored, password)
      decoy ??= hash(randomBytes(16), options)
      await verify(await decoy, password)
      return false
    },
  }
}
