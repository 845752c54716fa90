/**
 * Programs as tokens, by the grammars of the page's editor: all names are equal, and layout and comments are ignored.
 */
import type { Parser, SyntaxNodeRef, Tree } from '@lezer/common'
import { parser as cpp } from '@lezer/cpp'
import { parser as go } from '@lezer/go'
import { parser as java } from '@lezer/java'
import { parser as javascript } from '@lezer/javascript'
import { parser as python } from '@lezer/python'
import { parser as rust } from '@lezer/rust'

export type Token = { readonly kind: string; readonly from: number; readonly to: number }

const grammars: Readonly<Record<string, Parser>> = {
  cpp,
  go,
  java,
  // This dialect covers both languages.
  javascript: javascript.configure({ dialect: 'ts' }),
  python,
  rust,
}
const families: Readonly<Record<string, string>> = { c: 'cpp', typescript: 'javascript' }

/** Programs are compared only within their family. */
export const familyOf = (language: string): string => families[language] ?? language

/** Longer programs are compared only up to here, some 30 kB of code. */
const mostTokens = 8_000
const mostLength = 40_000
/**
 * Processor time of the thread. A program of that length takes a tenth; a malicious one took a thousand times as much.
 */
const mostParsingMs = 300
const stepsBetweenLooks = 100

/** Undefined if the text is no program and the grammar's error recovery takes too long. */
function parse(grammar: Parser, text: string): Tree | undefined {
  const parsing = grammar.startParse(text)
  const { user: begun } = process.threadCpuUsage()
  for (let step = 1; ; step++) {
    const tree = parsing.advance()
    if (tree) return tree
    if (step % stepsBetweenLooks === 0 && process.threadCpuUsage().user - begun > mostParsingMs * 1_000)
      return undefined
  }
}

export function tokenize(whole: string, language: string): Token[] {
  const text = whole.slice(0, mostLength)
  const grammar = grammars[familyOf(language)]
  const tree = grammar && parse(grammar, text)
  const tokens: Token[] = []
  if (!tree) {
    addPlain(text, 0, text.length, tokens)
    return tokens.slice(0, mostTokens)
  }
  let at = 0
  const add = (kind: string | undefined, from: number, to: number) => {
    // Text without grammar nodes (brackets, operators) is between the nodes.
    addPlain(text, at, from, tokens)
    if (kind !== undefined) tokens.push({ kind, from, to })
    at = Math.max(at, to)
  }
  tree.iterate({
    enter(node) {
      if (tokens.length >= mostTokens) return false
      if (/Comment/.test(node.name)) add(undefined, node.from, node.to)
      else if (/String|CharLiteral/.test(node.name)) add('"', node.from, node.to)
      else if (!node.node.firstChild) addLeaf(node)
      else return true
      return false
    },
  })
  addPlain(text, at, text.length, tokens)
  return tokens.slice(0, mostTokens)

  function addLeaf({ name, from, to }: SyntaxNodeRef): void {
    // An empty node marks missing syntax.
    if (to === from) return
    const leaf = text.slice(from, Math.min(to, from + 40))
    add(leaf === name ? name : kindOf(leaf, false), from, to)
  }
}

const parts = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|"[^"\n]*"|'[^'\n]*'|[^\s]/uy
const words = new Set(
  'if else elif for foreach while do until switch case when match break continue return function fun fn def sub let var val const class struct interface trait enum type import include using package module namespace public private protected static void int long float double char bool boolean string true false null nil none not and or in is new try catch except finally throw raise begin end then loop print println puts'.split(
    ' ',
  ),
)

/** Without a grammar: common keywords, names, numbers and signs. */
function addPlain(text: string, from: number, to: number, tokens: Token[]): void {
  for (let at = from; at < to && tokens.length < mostTokens; ) {
    const comment = endOfComment(text, at)
    if (comment !== undefined) {
      at = comment
      continue
    }
    parts.lastIndex = at
    const found = parts.exec(text)
    if (!found) {
      at++
      continue
    }
    const end = Math.min(to, at + found[0].length)
    tokens.push({ kind: kindOf(text.slice(at, end), true), from: at, to: end })
    at = end
  }
}

/** Not a regular expression, which would scan the rest of the text for each unclosed comment. */
function endOfComment(text: string, at: number): number | undefined {
  const isLine = text[at] === '#' || text.startsWith('//', at)
  if (!isLine && !text.startsWith('/*', at)) return undefined
  const end = text.indexOf(isLine ? '\n' : '*/', at)
  if (end < 0) return text.length
  return isLine ? end : end + 2
}

function kindOf(text: string, isPlain: boolean): string {
  if (/^\d/.test(text)) return '0'
  if (/^["'`]/.test(text)) return '"'
  if (!/^[\p{L}_$]/u.test(text)) return text.slice(0, 8)
  return isPlain && words.has(text.toLowerCase()) ? text.toLowerCase() : 'name'
}
