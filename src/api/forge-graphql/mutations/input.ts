/**
 * Bounds the input of a mutation: no text is longer than over REST, and none has characters that no database stores.
 */
import { invalidField } from '../../../forge/failures.ts'

/** The longest text of an issue or a comment, in characters. */
export const longText = 262_144

/** Longest texts by field name; a mutation may override them. */
const usualLengths: Readonly<Record<string, number>> = {
  title: 256,
  body: longText,
  message: longText,
  commitBody: longText,
  commitHeadline: longText,
  headline: 65_536,
  path: 4_096,
  description: 2_000,
  homepageUrl: 500,
}
const plainLength = 1_000

/** The most items of a list. Files may be more. */
const mostItems = 100
const mostFiles = 10_000

export function demandBoundedInput(input: object, lengths: Readonly<Record<string, number>>): void {
  const walk = (value: unknown, name: string): void => {
    if (typeof value === 'string') demandText(name, value, lengths[name] ?? usualLengths[name] ?? plainLength)
    else if (Array.isArray(value)) {
      const most = name === 'additions' || name === 'deletions' ? mostFiles : mostItems
      if (value.length > most) throw invalidField(name, 'invalid', `${name} has more than ${most} items.`)
      for (const item of value) walk(item, name)
    } else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, key)
  }
  walk(input, 'input')
}

function demandText(name: string, text: string, most: number): void {
  // Bytes of a file, decoded elsewhere.
  if (name === 'contents') return
  if (!text.isWellFormed() || text.includes('\0'))
    throw invalidField(name, 'invalid', `${name} must be Unicode text without NUL characters.`)
  if (text.length > most && [...text].length > most)
    throw invalidField(name, 'invalid', `${name} is too long (maximum is ${most} characters)`)
}
