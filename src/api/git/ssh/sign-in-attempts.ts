/** The sign-in attempts of one connection: the user must be `git`, and only keys are accepted. */
import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2'
import { Failure } from '../../../lib/failure.ts'
import { explainOutage } from '../../../lib/outages/outage.ts'
import { explainKey, maxOffers, type SignIn } from './sign-in.ts'

export type SignInAttempts = {
  /** Throws if the connection must be closed. */
  take(context: AuthContext): Promise<void>
  /** Called when the connection ends: if it offered keys and none was accepted, that counts as one wrong credential. */
  close(): Promise<void>
  /** The key of the successful sign-in. */
  readonly fingerprint: string | undefined
}

export function makeSignInAttempts(signIn: SignIn, address: string): SignInAttempts {
  let offers = 0
  let isChecked = false
  let fingerprint: string | undefined

  async function decide(context: PublicKeyAuthContext): Promise<string | undefined> {
    const { key, signature } = context
    const known = await signIn.recognise(key.data, key.algo, address)
    if (known === undefined || context.username !== 'git') return undefined
    if (signature && !isSigned(context)) return undefined
    return known
  }

  return {
    async take(context) {
      if (context.method !== 'publickey') return context.reject(['publickey'])
      if (!isChecked) await signIn.check(address)
      isChecked = true
      offers++
      if (offers > maxOffers) throw new Failure('limited', 'too-many-keys', `A connection offers ${maxOffers} keys.`)
      try {
        const known = await decide(context)
        if (known === undefined) return context.reject(['publickey'])
        if (context.signature) fingerprint = known
        context.accept()
      } catch (error) {
        // An unsupported key type: the client may have another key. The protocol has no place for a reason.
        if (explainKey(error) === undefined) throw explainOutage(error)
        context.reject(['publickey'])
      }
    },

    async close() {
      if (offers > 0 && fingerprint === undefined) await signIn.countWrong(address)
    },

    get fingerprint() {
      return fingerprint
    },
  }
}

/** SHA-1 signatures are refused. */
function isSigned({ key, signature, blob, hashAlgo }: PublicKeyAuthContext): boolean {
  const parsed = ssh2.utils.parseKey(key.data)
  if (parsed instanceof Error || !signature || !blob) return false
  if (key.algo === 'ssh-rsa' && hashAlgo !== 'sha256' && hashAlgo !== 'sha512') return false
  return parsed.verify(blob, signature, hashAlgo) === true
}
