/** The arguments of the rule of tokens, as Kattis' default output validator takes them. */
import type { TokenSettings } from './tokens.ts'
import { isNumber } from './tolerance.ts'

/** Answers what is wrong with them, in words. */
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
    if (!kind) return { wrong: `The comparison of tokens knows no argument ${JSON.stringify(word)}.` }
    const size = words[++i] ?? ''
    if (!isNumber(size) || size.startsWith('-'))
      return { wrong: `${word} needs a number, not ${JSON.stringify(size)}.` }
    if (kind[1] !== 'relative_') absolute = size
    if (kind[1] !== 'absolute_') relative = size
  }
  return {
    isCaseSensitive: flags.has('case_sensitive'),
    isSpaceSensitive: flags.has('space_change_sensitive'),
    tolerance: absolute === null && relative === null ? null : { absolute, relative },
  }
}
