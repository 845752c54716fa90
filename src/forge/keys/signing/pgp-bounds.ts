/** What PGP keys may be made of: only what node:crypto verifies natively, so that nobody's key keeps a thread busy. */
import { enums, type Key, type PublicKey, type SignaturePacket, type Subkey } from 'openpgp'
import { maxRsaBits } from '../public-key.ts'

/** What is wrong with a key, told to its owner. */
export class Fault extends Error {}

/** Limits of one key: users and subkeys, the owner's signatures on them, and everybody's. */
const maxParts = 100
const maxOwnSignatures = 200
const maxSignatures = 1_000

const rsa: readonly number[] = [enums.publicKey.rsaEncryptSign, enums.publicKey.rsaSign, enums.publicKey.rsaEncrypt]
const old: readonly number[] = [enums.publicKey.dsa, enums.publicKey.elgamal]
/** EdDSA in its former spelling names its curve as ECDSA does. */
const byCurve: readonly number[] = [enums.publicKey.ecdsa, enums.publicKey.eddsaLegacy]
const curves: readonly (string | undefined)[] = ['nistP256', 'nistP384', 'nistP521', 'ed25519Legacy']
/** Nothing is verified by keys to encrypt for. */
const others: readonly number[] = [
  enums.publicKey.ed25519,
  enums.publicKey.ecdh,
  enums.publicKey.x25519,
  enums.publicKey.x448,
]
const hashes: readonly (number | null)[] = [enums.hash.sha256, enums.hash.sha384, enums.hash.sha512]
const maxExponentBytes = 8

/** With any other hash the library falls back to arithmetic of its own, which is slow. */
export const isTaken = ({ hashAlgorithm, embeddedSignature }: SignaturePacket): boolean =>
  hashes.includes(hashAlgorithm) && (!embeddedSignature || isTaken(embeddedSignature))

/** Throws a Fault, or leaves away the signatures that are not taken: nothing has been verified yet. */
export function demandTaken(key: PublicKey): void {
  if (key.users.length + key.subkeys.length > maxParts) throw new Fault(`has more than ${maxParts} users and subkeys`)
  for (const part of [key, ...key.subkeys]) demandTakenNumbers(part)
  const revocations = [key, ...key.users, ...key.subkeys].flatMap((part) => part.revocationSignatures)
  const direct = (key as Key & { directSignatures: SignaturePacket[] }).directSignatures
  const own = [
    ...[revocations, direct],
    ...key.users.map((user) => user.selfCertifications),
    ...key.subkeys.map((subkey) => subkey.bindingSignatures),
  ]
  const ownCount = own.reduce((sum, list) => sum + list.length, 0)
  const count = key.users.reduce((sum, user) => sum + user.otherCertifications.length, ownCount)
  if (count > maxSignatures || ownCount > maxOwnSignatures)
    throw new Fault(`has too many signatures: export it with --export-options export-minimal`)
  const hasOther = !own.flat().every(isTaken)
  if (!revocations.every(isTaken)) throw new Fault(`is revoked with another hash than ${takenHashes}`)
  keepTaken(direct)
  for (const user of key.users) keepTaken(user.selfCertifications)
  for (const subkey of key.subkeys) keepTaken(subkey.bindingSignatures)
  if (hasOther && !key.users.some((user) => user.selfCertifications.length > 0))
    throw new Fault(
      `signs its users with another hash than ${takenHashes}: renew it with gpg --cert-digest-algo SHA256`,
    )
}

const takenHashes = 'SHA-256, SHA-384 or SHA-512'

const keepTaken = (signatures: SignaturePacket[]): void => {
  signatures.splice(0, signatures.length, ...signatures.filter(isTaken))
}

function demandTakenNumbers({ keyPacket }: PublicKey | Subkey): void {
  const { algorithm } = keyPacket as { algorithm: number }
  const { bits = 0, curve } = keyPacket.getAlgorithmInfo()
  if (rsa.includes(algorithm)) {
    const { e } = keyPacket.publicParams as { e: Uint8Array }
    if (bits > maxRsaBits || e.length > maxExponentBytes)
      throw new Fault(`is of RSA with ${bits} bits or an odd exponent: ${maxRsaBits} bits are taken at most`)
  } else if (old.includes(algorithm)) throw new Fault(`is of DSA or ElGamal, which are not taken: ${takenKinds}`)
  else if (byCurve.includes(algorithm) ? !curves.includes(curve) : !others.includes(algorithm))
    throw new Fault(`is of a kind or curve that is not taken: ${takenKinds}`)
}

const takenKinds = 'use Ed25519, ECDSA with NIST P-256, P-384 or P-521, or RSA'
