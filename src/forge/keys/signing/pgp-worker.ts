/** Reads PGP keys and verifies signatures in a thread, which is ended if it takes too long. */
import {
  createMessage,
  enums,
  type Key,
  PacketList,
  type PublicKey,
  readKeys,
  readSignature,
  type Signature,
  type SignaturePacket,
  type Subkey,
} from 'openpgp'
import { demandTaken, Fault, isTaken } from './pgp-bounds.ts'

export type PgpTask =
  | { readonly kind: 'read-key'; readonly armored: string }
  | { readonly kind: 'list-issuers'; readonly signature: string }
  | { readonly kind: 'verify'; readonly armored: string; readonly signature: string; readonly payload: Uint8Array }

export type PgpKeyPart = {
  /** The last 16 digits of the fingerprint, in capitals. */
  readonly keyId: string
  /** The key's packet in base64, without users and signatures. */
  readonly publicKey: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly isRevoked: boolean
  readonly canSign: boolean
  readonly canCertify: boolean
  readonly canEncryptComms: boolean
  readonly canEncryptStorage: boolean
}

export type PgpKey = PgpKeyPart & {
  readonly fingerprint: string
  readonly emails: readonly string[]
  readonly subkeys: readonly PgpKeyPart[]
}

/** `expiresAt`: when the signature, or the key or subkey that made it, expires. */
export type PgpVerdict = {
  readonly state: 'right' | 'wrong' | 'not-signing' | 'expired'
  readonly expiresAt: number | null
}

export type PgpResult = { readonly fault: string } | { readonly value: PgpKey | readonly string[] | PgpVerdict }

const config = { ignoreUnsupportedPackets: true, ignoreMalformedPackets: false }

export default async function work(task: PgpTask): Promise<PgpResult> {
  try {
    if (task.kind === 'read-key') return { value: await describe(await readOne(task.armored)) }
    if (task.kind === 'list-issuers') return { value: await listIssuers(task.signature) }
    return { value: await verify(task) }
  } catch (error) {
    return { fault: error instanceof Fault ? error.message : 'is no PGP key or signature that can be read' }
  }
}

async function readOne(armored: string): Promise<PublicKey> {
  const keys: Key[] = await readKeys({ armoredKeys: armored, config })
  const [key] = keys
  if (!key || keys.length > 1) throw new Fault('is not one PGP key: export one')
  if (key.isPrivate()) throw new Fault('is a private key, which nobody else may see: export the public one')
  demandTaken(key)
  return key
}

const idOf = (part: PublicKey | Subkey): string => part.getKeyID().toHex().toUpperCase()

const timeOf = (time: Date | number | null): number | null =>
  time === null || time === Number.POSITIVE_INFINITY ? null : new Date(time).getTime()

function spellPacket(part: PublicKey | Subkey): string {
  const list = new PacketList<PublicKey['keyPacket'] | Subkey['keyPacket']>()
  list.push(part.keyPacket)
  return Buffer.from(list.write()).toString('base64')
}

/** RFC 9580, section 5.2.3.29 */
const flagsOf = (signature: SignaturePacket | undefined) => {
  const flags = signature?.keyFlags?.[0] ?? 0
  return {
    canCertify: (flags & 1) !== 0,
    canSign: (flags & 2) !== 0,
    canEncryptComms: (flags & 4) !== 0,
    canEncryptStorage: (flags & 8) !== 0,
  }
}

const newest = (signatures: readonly SignaturePacket[]): SignaturePacket | undefined =>
  [...signatures].sort((a, b) => Number(b.created) - Number(a.created))[0]

async function describe(key: PublicKey): Promise<PgpKey> {
  const primary = await key.getPrimaryUser().catch(() => undefined)
  if (!primary) throw new Fault('names no user, or has no valid signature of its own')
  const users = await key.verifyAllUsers()
  const valid = new Set(users.filter(({ valid: isValid }) => isValid).map(({ userID }) => userID))
  const emails = key.users.filter(({ userID }) => userID && valid.has(userID.userID)).map(({ userID }) => userID!.email)
  const subkeys: PgpKeyPart[] = []
  for (const subkey of key.subkeys) {
    const end = await subkey.getExpirationTime().catch(() => null)
    // Without a valid binding signature anybody could have added the subkey.
    if (end === null) continue
    subkeys.push({
      ...{ keyId: idOf(subkey), publicKey: spellPacket(subkey), createdAt: subkey.getCreationTime().getTime() },
      ...{ expiresAt: timeOf(end), isRevoked: subkey.revocationSignatures.length > 0 },
      ...flagsOf(newest(subkey.bindingSignatures)),
    })
  }
  return {
    ...{ keyId: idOf(key), fingerprint: key.getFingerprint().toUpperCase(), publicKey: spellPacket(key) },
    createdAt: key.getCreationTime().getTime(),
    expiresAt: timeOf(await key.getExpirationTime().catch(() => null)),
    isRevoked: key.revocationSignatures.length > 0,
    ...flagsOf(primary.selfCertification),
    emails: [...new Set(emails.filter(Boolean).map((email) => email.toLowerCase()))],
    subkeys,
  }
}

async function readOneSignature(armored: string): Promise<{ signature: Signature; packet: SignaturePacket }> {
  const signature = await readSignature({ armoredSignature: armored, config })
  const [packet] = signature.packets
  if (!packet || signature.packets.length > 1) throw new Fault('is not one signature')
  return { signature, packet }
}

async function listIssuers(armored: string): Promise<string[]> {
  const { signature } = await readOneSignature(armored)
  return Array.from(signature.getSigningKeyIDs(), (id) => id.toHex().toUpperCase())
}

async function verify(task: Extract<PgpTask, { kind: 'verify' }>): Promise<PgpVerdict> {
  const { packet } = await readOneSignature(task.signature)
  const wrong: PgpVerdict = { state: 'wrong', expiresAt: null }
  // A key that was registered under former bounds verifies nothing.
  const key = await readOne(task.armored).catch(() => undefined)
  if (!key || !isTaken(packet)) return wrong
  const [part] = key.getKeys(packet.issuerKeyID)
  const { signatureType: type } = packet
  if (!part || !packet.created || (type !== enums.signature.binary && type !== enums.signature.text)) return wrong
  const message = await createMessage({ binary: task.payload })
  const [literal] = message.packets
  try {
    await packet.verify(part.keyPacket, type, literal as object, null as unknown as Date, true)
  } catch {
    return wrong
  }
  const ends = await Promise.all([
    key.getExpirationTime().catch(() => null),
    'mainKey' in part ? part.getExpirationTime().catch(() => null) : null,
    packet.getExpirationTime(),
  ])
  const known = ends.map(timeOf).filter((end) => end !== null)
  const expiresAt = known.length > 0 ? Math.min(...known) : null
  if (key.revocationSignatures.length > 0 || ('mainKey' in part && part.revocationSignatures.length > 0)) return wrong
  if (expiresAt !== null && expiresAt <= packet.created.getTime()) return { state: 'expired', expiresAt }
  const signs = await key.getSigningKey(part.getKeyID(), packet.created).then(
    () => true,
    () => false,
  )
  return { state: signs ? 'right' : 'not-signing', expiresAt }
}
