/**
 * TeX environments as Markdown: lists, listings, quotations, tables, figures, maths, and the sections of a statement.
 */

import type { TexConversion } from './conversion.ts'
import type { Scanner } from './scanner.ts'
import { writeTable } from './table.ts'
import { writeFence, writeText } from './text.ts'

const sections: Readonly<Record<string, string>> = { Input: 'Input', Output: 'Output', Interaction: 'Interaction' }
const transparent = new Set([
  'center',
  'flushleft',
  'flushright',
  'figure',
  'wrapfigure',
  'minipage',
  'document',
  'small',
])
const displayed = new Set(['equation', 'displaymath', 'align', 'gather', 'eqnarray', 'multline'])

export function convertEnvironment(name: string, scanner: Scanner, conversion: TexConversion): string {
  const { convert } = conversion
  const plain = name.replace(/\*$/, '')
  if (plain in Object.prototype) return keepUnknown(name, scanner, conversion)
  if (plain === 'itemize' || plain === 'enumerate') {
    scanner.readOption()
    return writeList(scanner.readEnvironment(name), plain === 'enumerate', convert)
  }
  if (plain === 'lstlisting' || plain === 'verbatim') {
    scanner.readOption()
    return writeFence(scanner.readEnvironment(name))
  }
  if (plain === 'quote' || plain === 'quotation') {
    const lines = convert(scanner.readEnvironment(name)).trim().split('\n')
    return `\n\n${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n`
  }
  if (plain === 'tabular' || plain === 'tabularx') {
    if (plain === 'tabularx') scanner.readArgument()
    scanner.readOption()
    const columns = scanner.readArgument()
    return writeTable(columns, scanner.readEnvironment(name), convert)
  }
  if (sections[plain]) return `\n\n## ${sections[plain]}\n\n${convert(scanner.readEnvironment(name)).trim()}\n\n`
  if (displayed.has(plain)) {
    const inner = scanner.readEnvironment(name).trim()
    const maths = plain === 'equation' || plain === 'displaymath' ? inner : `\\begin{aligned}${inner}\\end{aligned}`
    return `\n\n$$\n${maths.replace(/\\label\{[^{}]*\}/g, '')}\n$$\n\n`
  }
  // Polygon's environments: one with name, two files and two limits; and the samples, which the server shows by itself.
  if (plain === 'problem') {
    for (let i = 0; i < 5 && scanner.hasArgument(); i++) scanner.readArgument()
    return convert(scanner.readEnvironment(name))
  }
  if (plain === 'example' || plain === 'examples') {
    scanner.readEnvironment(name)
    return ''
  }
  if (transparent.has(plain)) {
    scanner.readOption()
    while (plain !== 'center' && scanner.hasArgument()) scanner.readArgument()
    return `\n\n${convert(scanner.readEnvironment(name)).trim()}\n\n`
  }
  return keepUnknown(name, scanner, conversion)
}

function keepUnknown(name: string, scanner: Scanner, { unknown, convert }: TexConversion): string {
  unknown.add(name)
  const inner = scanner.readEnvironment(name)
  return `${writeText(`\\begin{${name}}`)}${convert(inner)}${writeText(`\\end{${name}}`)}`
}

/** Items of nested lists are skipped together with their environments. */
function writeList(source: string, isNumbered: boolean, convert: (source: string) => string): string {
  const items: string[] = []
  let depth = 0
  let start: number | undefined
  for (const found of source.matchAll(/\\(begin|end)\{(?:itemize|enumerate)\}|\\item\b\s*/g)) {
    if (found[1]) depth += found[1] === 'begin' ? 1 : -1
    else if (depth === 0) {
      if (start !== undefined) items.push(source.slice(start, found.index))
      start = found.index + found[0].length
    }
  }
  if (start !== undefined) items.push(source.slice(start))
  const written = items.map((item, i) => {
    const [, label, rest = ''] = /^\[([^\]]*)\]\s*([\s\S]*)$/.exec(item) ?? [undefined, undefined, item]
    const mark = isNumbered ? `${i + 1}. ` : '- '
    const text = convert(label === undefined ? rest : `\\textbf{${label}} ${rest}`)
      .trim()
      .replace(/\n{3,}/g, '\n\n')
    return mark + text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`)
  })
  return `\n\n${written.join('\n')}\n\n`
}
