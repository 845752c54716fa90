/** A public key as a person pastes it. */
import { generateKeyPairSync } from 'node:crypto'

export function makePublicKey(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const blob = Buffer.concat([part(Buffer.from('ssh-ed25519')), part(Buffer.from(x!, 'base64url'))])
  return `ssh-ed25519 ${blob.toString('base64')} deploy@server`
}
