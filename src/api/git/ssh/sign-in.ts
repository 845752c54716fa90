/**
 * Sign-in over SSH: a client proves that it holds a key, and the key identifies the account or repository. Wrong keys
 * lock the address out of SSH alone: they are offered by machines, in series, and say nothing about its tokens.
 */
import type { Actor } from '../../../accounts/actor.ts'
import type { Lockout } from '../../../accounts/sign-in/lockout.ts'
import { PublicKeyRefused, readPublicKey } from '../../../forge/keys/public-key.ts'
import type { KeyHolder, SshKeys } from '../../../forge/keys/ssh-keys.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import { networkOf } from '../../../lib/network.ts'

type Needs = {
  sshKeys: SshKeys
  lockout: Lockout
}

export type SignIn = ReturnType<typeof makeSignIn>

/** Clients offer all keys of their agent in turn; OpenSSH's server allows six. */
export const maxOffers = 12

export function makeSignIn({ sshKeys, lockout }: Needs) {
  const senderOf = (address: string) => `ssh:${networkOf(address)}`

  /** Checked again for each step of a session: meanwhile keys are deleted and accounts suspended. */
  async function findHolder(fingerprint: string, address: string, isProved = true): Promise<KeyHolder | undefined> {
    const found = await sshKeys.find(fingerprint, senderOf(address), isProved)
    if (!found) return undefined
    lockout.refuseUntil(found.blockedUntil)
    demand(!found.account.isSuspended, 'forbidden', 'suspended', 'Sorry. Your account was suspended.')
    return found
  }

  return {
    /** Refuses an address that is locked out. */
    check: (address: string): Promise<void> => lockout.check(senderOf(address)),

    findHolder,

    /** The fingerprint of the key if it is registered. Throws if this kind of key is not accepted. */
    async recognise(bytes: Buffer, algorithm: string, address: string): Promise<string | undefined> {
      const { fingerprint } = readPublicKey(bytes, algorithm)
      return (await findHolder(fingerprint, address, false)) ? fingerprint : undefined
    },

    async identify(fingerprint: string, address: string): Promise<Actor> {
      const found = await findHolder(fingerprint, address)
      if (!found) throw new Failure('unauthenticated', 'bad-credentials', 'This key was removed.')
      return { account: found.account, credential: { kind: 'token', token: found.token }, address }
    },

    /** Counts one wrong credential, however many keys the connection offered. */
    countWrong: (address: string): Promise<void> => lockout.settle(senderOf(address), false),
  }
}

/** Explains to the client why a key is not accepted. */
export const explainKey = (error: unknown): string | undefined =>
  error instanceof PublicKeyRefused ? error.reason : undefined
