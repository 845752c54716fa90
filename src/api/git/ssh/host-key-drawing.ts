/** Generates a host key in the format of the SSH library. */
import ssh2 from 'ssh2'
import type { HostKeyKind } from '../../../forge/keys/host-keys.ts'

export const drawHostKey = (kind: HostKeyKind): string =>
  kind === 'ed25519'
    ? ssh2.utils.generateKeyPairSync('ed25519').private
    : ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private
