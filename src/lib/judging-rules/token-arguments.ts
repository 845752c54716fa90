/**
 * The arguments of the token comparison, as in Kattis' default output validator. The server and the executor share this
 * rule.
 */

/** Decimal numbers; a difference within either is ignored. */
export type Tolerance = { readonly absolute: string | null; readonly relative: string | null }

export type TokenSettings = {
  readonly isCaseSensitive: boolean
  /** White space must match exactly, also at the ends. */
  readonly isSpaceSensitive: boolean
  readonly tolerance: Tolerance | null
}

export const decimalForm = /^([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?$/

/** On a fault, answers a phrase that follows the arguments' name. */
export function readTokenArguments(words: readonly string[]): TokenSettings | { readonly wrong: string } {
  const flags = new Set<string>()
  let absolute: string | null = null
  let relative: string | null = null
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word === 'case_sensitive' || word === 'space_change_sensitive') {
      flags.add(word)
      continue
    }
    const kind = /^float_(relative_|absolute_|)tolerance$/.exec(word)
    if (!kind) return { wrong: `knows no ${JSON.stringify(word.slice(0, 80))}` }
    const size = words[++i] ?? ''
    if (!decimalForm.test(size) || size.startsWith('-'))
      return { wrong: `must have a number of 0 or more after ${word}` }
    if (kind[1] !== 'relative_') absolute = size
    if (kind[1] !== 'absolute_') relative = size
  }
  return {
    isCaseSensitive: flags.has('case_sensitive'),
    isSpaceSensitive: flags.has('space_change_sensitive'),
    tolerance: absolute === null && relative === null ? null : { absolute, relative },
  }
}

export function findTokensFault(words: readonly string[]): string | undefined {
  const read = readTokenArguments(words)
  return 'wrong' in read ? read.wrong : undefined
}
