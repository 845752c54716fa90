/** Credentials of every kind, wrong ones and none among them, as headers. */
import type { Random } from './random.ts'

type Header = readonly [string, string]

export type Credentials = Readonly<Record<string, readonly Header[]>>

export const bearer = (token: string): readonly Header[] => [['Authorization', `Bearer ${token}`]]
const basic = (text: string): readonly Header[] => [['Authorization', `Basic ${Buffer.from(text).toString('base64')}`]]

/** By the name of who has it. */
export function listCredentials(tokens: Readonly<Record<string, string>>, session: string): Credentials {
  const known = Object.entries(tokens).map(([name, token]) => [name, bearer(token)] as const)
  return {
    ...Object.fromEntries(known),
    none: [],
    basic: basic(`ann:${tokens.ann}`),
    'basic, token first': basic(`${tokens.ann}:x-oauth-basic`),
    session: bearer(session),
    cookie: [['Cookie', `guildhall_session=${session}`]],
    'cookie of another page': [
      ['Cookie', `guildhall_session=${session}`],
      ['Origin', 'http://evil.example'],
    ],
    unknown: bearer('gdp_0123456789012345678901234567890123456'),
    empty: [['Authorization', '']],
    nonsense: [['Authorization', 'Negotiate \xff\xfe']],
    'basic nonsense': [['Authorization', 'Basic !!!']],
    twice: [...bearer(tokens.ann!), ...bearer(tokens.bob!)],
    long: bearer('x'.repeat(8_000)),
  }
}

/** Those who may do something come more often than those who may not. */
export function drawCredential(random: Random, credentials: Credentials, often: readonly string[]): readonly Header[] {
  return credentials[random.isChance(0.7) ? random.pick(often) : random.pick(Object.keys(credentials))]!
}
