/**
 * The text of a token: a prefix for its kind, 30 random characters, and their checksum, so that secret scanners
 * recognize it offline.
 */
import { crc32 } from 'node:zlib'
import { generateAlphanumeric } from '../../lib/ids.ts'

export const tokenKinds = [
  'classic',
  'fine-grained',
  'oauth',
  'app-user',
  'refresh',
  'installation',
  'workflow',
] as const
type TextKind = (typeof tokenKinds)[number]

/** The kinds for SSH keys: of users, of repositories, and the tokens for Git LFS that they are exchanged for. */
export const keyKinds = ['ssh-key', 'deploy-key', 'lfs'] as const
export type TokenKind = TextKind | (typeof keyKinds)[number]

const prefixes: Record<TokenKind, string> = {
  classic: 'gdp_',
  'fine-grained': 'guildhall_pat_',
  oauth: 'gdo_',
  'app-user': 'gdu_',
  refresh: 'gdr_',
  installation: 'gds_',
  workflow: 'gds_',
  // Nobody knows the text of the first two: their keys are used instead.
  'ssh-key': 'gds_',
  'deploy-key': 'gds_',
  lfs: 'gds_',
}

const randomLength = 30
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function generateToken(kind: TokenKind): string {
  const generated = generateAlphanumeric(randomLength)
  return prefixes[kind] + generated + checksum(generated)
}

/** Whether the text has the form of a token. */
export function hasTokenForm(text: string): boolean {
  const found = /^(?:gd[pours]_|guildhall_pat_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(text)
  return found !== null && checksum(found[1]!) === found[2]
}

/** The CRC-32 in base 62, six characters. */
function checksum(text: string): string {
  let value = crc32(text)
  let spelled = ''
  for (let i = 0; i < 6; i++) {
    spelled = digits[value % 62] + spelled
    value = Math.floor(value / 62)
  }
  return spelled
}
