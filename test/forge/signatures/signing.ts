/** Signs commits and tags in a test: with git and its programs, or by hand, rightly and wrongly. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  config,
  createMessage,
  enums,
  PacketList,
  type PrivateKey,
  Signature,
  SignaturePacket,
  sign as signPgp,
} from 'openpgp'
import type { WorkingFolder } from '../../support/git.ts'

const spell = (field: Buffer | string): Buffer => {
  const bytes = Buffer.from(field as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

export type SshSigner = { readonly privateKey: KeyObject; readonly bare: string }
export function drawSigner(): SshSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const head = Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20', 'latin1')
  return { privateKey, bare: `ssh-ed25519 ${Buffer.concat([head, point]).toString('base64')}` }
}

type Over = {
  readonly namespace?: string
  readonly hash?: string
  readonly version?: number
  readonly payload?: Buffer
}

/** As `ssh-keygen -Y sign -n git` does, by an Ed25519 key. */
export function signBySsh({ privateKey, bare }: SshSigner, given: Buffer, over: Over = {}): string {
  const { namespace = 'git', hash = 'sha512', version = 1, payload = given } = over
  const digest = createHash(hash === 'sha256' ? 'sha256' : 'sha512')
    .update(payload)
    .digest()
  const common = [spell(namespace), spell(''), spell(hash)]
  const raw = sign(null, Buffer.concat([Buffer.from('SSHSIG'), ...common, spell(digest)]), privateKey)
  const number = Buffer.alloc(4)
  number.writeUInt32BE(version)
  const key = Buffer.from(bare.split(' ')[1]!, 'base64')
  const whole = Buffer.concat([
    ...[Buffer.from('SSHSIG'), number, spell(key), ...common],
    spell(Buffer.concat([spell('ssh-ed25519'), spell(raw)])),
  ])
  return frame('SSH SIGNATURE', whole.toString('base64'))
}

export const frame = (word: string, base64: string): string =>
  `-----BEGIN ${word}-----\n${base64.replace(/.{1,70}/g, '$&\n')}-----END ${word}-----`

export async function signByPgp(key: PrivateKey, payload: Buffer, date?: Date): Promise<string> {
  const message = await createMessage({ binary: new Uint8Array(payload) })
  const signature = await signPgp({
    message,
    signingKeys: key,
    detached: true,
    format: 'armored',
    ...(date && { date }),
  })
  return (signature as string).replaceAll('\r\n', '\n').trimEnd()
}

type PgpOver = {
  readonly hash?: enums.hash
  readonly type?: enums.signature
  readonly date?: Date
  readonly seconds?: number
}

/** As `gpg` does with `--digest-algo`, `--textmode` or `--default-sig-expire`. */
export async function signByPacket(key: PrivateKey, payload: Buffer, over: PgpOver): Promise<string> {
  const { hash = enums.hash.sha256, type = enums.signature.binary, date = new Date(), seconds } = over
  const packet = new SignaturePacket()
  const message = await createMessage({ binary: new Uint8Array(payload) })
  Object.assign(packet, {
    ...{ signatureType: type, hashAlgorithm: hash, publicKeyAlgorithm: key.keyPacket.algorithm },
    ...(seconds !== undefined && { signatureExpirationTime: seconds, signatureNeverExpires: false }),
  })
  // The library's types leave out the configuration, which it needs.
  const signIt = packet.sign as (...given: unknown[]) => Promise<void>
  await signIt.call(packet, key.keyPacket, message.packets[0], date, true, config)
  const list = new PacketList<SignaturePacket>()
  list.push(packet)
  return new Signature(list).armor().replaceAll('\r\n', '\n').trimEnd()
}

export type Sign = (payload: Buffer) => string | Promise<string>

/** A commit after HEAD by this address, signed so; answers its name. */
export async function commitSigned(
  folder: WorkingFolder,
  email: string,
  signIt: Sign,
  message = 'signed',
): Promise<string> {
  const [tree, parent] = [await folder.must('rev-parse', 'HEAD^{tree}'), await folder.must('rev-parse', 'HEAD')]
  const by = `Somebody <${email}> ${Math.floor(Date.now() / 1000)} +0100`
  const head = `tree ${tree}\nparent ${parent}\nauthor ${by}\ncommitter ${by}\n`
  const signature = await signIt(Buffer.from(`${head}\n${message}\n`))
  const header = `gpgsig ${signature.replaceAll('\n', '\n ')}\n`
  return store(folder, 'commit', `${head}${header}\n${message}\n`)
}

export async function tagSigned(folder: WorkingFolder, name: string, email: string, signIt: Sign): Promise<string> {
  const by = `Somebody <${email}> ${Math.floor(Date.now() / 1000)} +0100`
  const text = `object ${await folder.must('rev-parse', 'HEAD')}\ntype commit\ntag ${name}\ntagger ${by}\n\nA release\n`
  return store(folder, 'tag', `${text}${await signIt(Buffer.from(text))}\n`)
}

async function store(folder: WorkingFolder, type: string, text: string): Promise<string> {
  const file = join(folder.path, '.git', 'drafted')
  await writeFile(file, text)
  return folder.must('hash-object', '-t', type, '-w', '--literally', file)
}
