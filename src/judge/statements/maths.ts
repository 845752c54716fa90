/** Maths in Markdown: `$…$` within a line, `$$…$$` as a block. Invalid TeX is kept as written. */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import temml from 'temml'
import { escapeText } from './escape.ts'

export function addMaths(parser: MarkdownIt): void {
  parser.inline.ruler.before('escape', 'maths', readInline)
  parser.block.ruler.before('fence', 'maths', readBlock, { alt: ['paragraph', 'blockquote', 'list'] })
  parser.renderer.rules.maths = (tokens, at) => toMathml(tokens[at]!.content, tokens[at]!.block)
}

/** No blank may follow the opening dollar or precede the closing one, and no digit may follow it: prices stay text. */
function readInline(state: StateInline, isSilent: boolean): boolean {
  const { src, pos, posMax } = state
  if (src[pos] !== '$') return false
  const isDisplay = src[pos + 1] === '$'
  const mark = isDisplay ? '$$' : '$'
  const start = pos + mark.length
  if (start >= posMax || /\s/.test(src[start]!)) return false
  const end = findEnd(src, start, mark, posMax)
  if (end < 0 || end === start || /\s/.test(src[end - 1]!)) return false
  if (!isDisplay && /\d/.test(src[end + 1] ?? '')) return false
  if (!isSilent) {
    const token = state.push('maths', 'math', 0)
    token.content = src.slice(start, end)
    token.block = isDisplay
  }
  state.pos = end + mark.length
  return true
}

function findEnd(src: string, start: number, mark: string, max: number): number {
  for (let at = src.indexOf(mark, start); at >= 0 && at < max; at = src.indexOf(mark, at + 1))
    if (src[at - 1] !== '\\') return at
  return -1
}

function readBlock(state: StateBlock, first: number, last: number, isSilent: boolean): boolean {
  const lineOf = (line: number) => state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!)
  const opening = lineOf(first).trim()
  if (!opening.startsWith('$$') || (opening.length > 2 && !/^\$\$.*\$\$$/.test(opening) && opening.includes('$$', 2)))
    return false
  const lines = [opening.slice(2)]
  let line = first
  while (!lines.at(-1)!.endsWith('$$')) {
    line++
    if (line >= last) return false
    lines.push(lineOf(line).trim())
  }
  if (isSilent) return true
  const token = state.push('maths', 'math', 0)
  token.block = true
  token.content = lines.join('\n').slice(0, -2)
  token.map = [first, line + 1]
  state.line = line + 1
  return true
}

/** The library's bounds: macro expansions, and sizes. */
const bounds = { maxExpand: 500, maxSize: [20, 100] as [number, number], throwOnError: true, trust: false }

function toMathml(tex: string, isDisplay: boolean): string {
  try {
    const math = temml.renderToString(tex, { ...bounds, displayMode: isDisplay })
    return isDisplay ? `<p>${math}</p>\n` : math
  } catch {
    return `<code>${escapeText(tex)}</code>`
  }
}
