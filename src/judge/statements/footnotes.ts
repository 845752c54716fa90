/**
 * Footnotes in Markdown: `[^1]` refers to `[^1]: text`. The texts are shown at the end, in the order of their
 * references.
 */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'

type Notes = {
  /** The text of each label's definition. */
  readonly texts: Map<string, string>
  /** The referenced labels in order, each with its number and its count of references. */
  readonly references: Map<string, { readonly number: number; count: number }>
}

type Environment = { notes?: Notes; isNote?: boolean }

function notesOf(given: object | undefined): Notes {
  const env = given as Environment
  env.notes ??= { texts: new Map(), references: new Map() }
  return env.notes
}

export function addFootnotes(parser: MarkdownIt): void {
  parser.block.ruler.before('reference', 'footnote', readDefinition, { alt: ['paragraph'] })
  parser.inline.ruler.before('link', 'footnote', readReference)
  parser.core.ruler.after('inline', 'footnotes', (state) => {
    const { references } = notesOf(state.env)
    if (references.size > 0) state.tokens.push(new state.Token('footnotes', '', 0))
  })
  parser.renderer.rules.footnote = (tokens, at) => {
    const { number, count } = tokens[at]!.meta as { number: number; count: number }
    return `<sup><a href="#note-${number}" id="reference-${number}-${count}">${number}</a></sup>`
  }
  parser.renderer.rules.footnotes = (_tokens, _at, _options, env) => {
    const { texts, references } = notesOf(env)
    const items = [...references].map(([label, { number, count }]) => {
      const backs = Array.from({ length: Math.min(count, shownBacks) }, (_, i) => backTo(number, i + 1))
      // A note within a note stays text, so that each is rendered once.
      const text = parser.renderInline(texts.get(label)!, { isNote: true })
      return `<li id="note-${number}"><p>${text} ${backs.join(' ')}</p></li>\n`
    })
    return `<hr>\n<ol>\n${items.join('')}</ol>\n`
  }
}

/** A note with more references links back only to the first of them. */
const shownBacks = 20
const backTo = (number: number, count: number) => `<a href="#reference-${number}-${count}">↩</a>`

const definition = /^\[\^([^\]\s]{1,50})\]:[ \t]*/

function readDefinition(state: StateBlock, first: number, last: number, isSilent: boolean): boolean {
  const lineOf = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!)
  const found = definition.exec(lineOf(first))
  if (!found || state.sCount[first]! - state.blkIndent >= 4) return false
  if (isSilent) return true
  const lines = [lineOf(first).slice(found[0].length)]
  let line = first + 1
  while (line < last && !state.isEmpty(line) && !definition.test(lineOf(line))) lines.push(lineOf(line++))
  const { texts } = notesOf(state.env)
  if (!texts.has(found[1]!)) texts.set(found[1]!, lines.join('\n'))
  state.line = line
  return true
}

function readReference(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state
  if (src[pos] !== '[' || src[pos + 1] !== '^') return false
  const env = state.env as Environment
  const found = /^\[\^([^\]\s]{1,50})\]/.exec(src.slice(pos, Math.min(posMax, pos + 60)))
  if (!found || env.isNote || !notesOf(env).texts.has(found[1]!)) return false
  if (!isSilent) {
    const { references } = notesOf(env)
    const reference = references.get(found[1]!) ?? { number: references.size + 1, count: 0 }
    reference.count++
    references.set(found[1]!, reference)
    state.push('footnote', '', 0).meta = { ...reference }
  }
  state.pos = pos + found[0].length
  return true
}
