/** Coloured code: a text is parsed once, in slices so that the page stays quick, and words are then found line by line as they are shown. */
import type { LanguageSupport } from '@codemirror/language'
import { classHighlighter, highlightTree } from '@lezer/highlight'
import { loadLanguage } from './languages.ts'

export type Token = readonly [from: number, to: number, classes: string]

/** The words of a part of the text; positions are counted from its start. */
export type Tokens = (from: number, to: number) => readonly Token[]

/** Longer texts, and such lines as programs write, are shown plain. */
const mostCharacters = 2_000_000
const mostOfLine = 5_000
const sliceMs = 12

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Undefined where no colours are known for the language. */
export async function parseCode(
  text: string,
  language: string,
  isWanted: () => boolean = () => true,
): Promise<Tokens | undefined> {
  if (text.length > mostCharacters || hasLongLine(text)) return undefined
  const support = await loadLanguage(language)
  if (!support) return undefined
  const tree = await parseInSlices(support, text, isWanted)
  if (!tree) return undefined
  return (from, to) => {
    const found: Token[] = []
    highlightTree(
      tree,
      classHighlighter,
      (start, end, classes) => found.push([Math.max(start, from) - from, Math.min(end, to) - from, classes]),
      from,
      to,
    )
    return found
  }
}

async function parseInSlices({ language }: LanguageSupport, text: string, isWanted: () => boolean) {
  const parse = language.parser.startParse(text)
  let since = performance.now()
  for (;;) {
    const tree = parse.advance()
    if (tree) return tree
    if (performance.now() - since < sliceMs) continue
    await pause()
    if (!isWanted()) return undefined
    since = performance.now()
  }
}

function hasLongLine(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    if ((end < 0 ? text.length : end) - at > mostOfLine) return true
    if (end < 0) return false
    at = end + 1
  }
  return false
}
