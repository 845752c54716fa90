/** Generates a host key in the format of the SSH library. */
import ssh2 from 'ssh2'
import type { HostKeyKind } from '../../../forge/keys/host-keys.ts'

export function generateHostKey(kind: HostKeyKind): string {
  const key =
    kind === 'ed25519'
      ? ssh2.utils.generateKeyPairSync('ed25519').private
      : ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private
  // The library cuts leading zeros off an ed25519 key, one in 256, and can't read it then.
  return ssh2.utils.parseKey(key) instanceof Error ? generateHostKey(kind) : key
}
