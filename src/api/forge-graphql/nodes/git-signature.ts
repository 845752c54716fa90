/** Signatures of commits, and whether they are verified. */
import type { Reason, SignedObject } from '../../../forge/keys/signing/verifications.ts'
import type { Graph } from '../graph.ts'

/** Where the word is not the reason's own in capitals. */
const states: Partial<Record<Reason, string>> = {
  malformed_signature: 'MALFORMED_SIG',
  unknown_signature_type: 'UNKNOWN_SIG_TYPE',
}

const types = { pgp: 'GpgSignature', ssh: 'SshSignature' } as const

export async function presentGitSignature({ services, make }: Graph, object: SignedObject) {
  const found = (await services.verifications.verify([object])).get(object.sha)
  if (!found?.signed) return null
  const { kind, key, reason, signed, signer } = found
  return {
    __typename: kind ? types[kind] : 'UnknownSignature',
    email: object.by?.email ?? '',
    isValid: reason === 'valid',
    state: states[reason] ?? reason.toUpperCase(),
    payload: signed.payload.toString('utf8'),
    signature: signed.signature,
    signer: () => (signer ? make.person(signer) : null),
    verifiedAt: null,
    wasSignedByGitHub: false,
    ...(kind === 'pgp' && { keyId: key ?? null }),
    // In hexadecimal digits, as clients of the public platform know it.
    ...(kind === 'ssh' && { keyFingerprint: key ? spellHex(key) : null }),
  }
}

const spellHex = (fingerprint: string): string =>
  Buffer.from(fingerprint.replace('SHA256:', ''), 'base64').toString('hex')
