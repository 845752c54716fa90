/** JSON as callers may spell it: escapes, gaps and members in any way, and with a byte of harm done to it. */
import fc from 'fast-check'

/** From 0 to 1, evenly: fast-check's own doubles are nearly all tiny. */
export const part = fc.nat(9_999).map((n) => n / 10_000)

/** Spells a value in one of JSON's many ways; `draw` gives numbers from 0 to 1. Members may be there twice. */
export function spell(given: unknown, draw: () => number): string {
  const gap = () => [' ', '\n', '\t\r ', ' \n'.repeat(20), '', ''][Math.floor(draw() * 6)]!
  if (typeof given === 'string') return spellText(given, draw)
  if (Array.isArray(given)) return `[${gap()}${given.map((one) => spell(one, draw) + gap()).join(`,${gap()}`)}]`
  if (typeof given !== 'object' || given === null) return JSON.stringify(given)
  const members = (given as { members?: [string, unknown][] }).members ?? Object.entries(given)
  const spelled = members.map(([key, one]) => `${spellText(key, draw)}${gap()}:${gap()}${spell(one, draw)}${gap()}`)
  return `{${gap()}${spelled.join(`,${gap()}`)}}`
}

function spellText(text: string, draw: () => number): string {
  const characters = [...text].map((character) => {
    const choice = draw()
    if (character === '/' && choice < 0.5) return '\\/'
    if (choice > 0.2) return JSON.stringify(character).slice(1, -1)
    return character.split('').map(escapeUnit).join('')
  })
  return `"${characters.join('')}"`
}

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

export type Damage = { readonly at: number; readonly byte: number; readonly how: 'cut' | 'insert' | 'replace' }
export const damage: fc.Arbitrary<Damage> = fc.record({
  at: part,
  byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\:{}[],u\n=A')), fc.integer({ min: 0, max: 255 })),
  how: fc.constantFrom('cut' as const, 'insert' as const, 'replace' as const),
})

export function harm(body: Buffer, { at, byte, how }: Damage): Buffer {
  const place = Math.floor(at * body.length)
  if (how === 'cut') return body.subarray(0, place)
  return Buffer.concat([body.subarray(0, place), Buffer.of(byte), body.subarray(how === 'insert' ? place : place + 1)])
}

export function parseWhole(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}
