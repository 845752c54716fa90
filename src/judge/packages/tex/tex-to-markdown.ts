/**
 * A TeX statement as Markdown, in the subset that the package format lists. Anything else is kept as written, and
 * reported. Nothing is executed: the author's own macros stay text.
 */
import { invalidPackage } from '../package-files.ts'
import { convertCommand } from './commands.ts'
import type { TexConversion } from './conversion.ts'
import { convertEnvironment } from './environments.ts'
import { makeScanner, type Scanner, stripComments } from './scanner.ts'
import { guardLineStarts, oneLine, tidy, writeText } from './text.ts'

/** Groups nested deeper than this stay text. */
const mostDepth = 50
/**
 * Limits output that is longer than its source: captions appear twice, constants may be long, tables have empty cells.
 */
const mostWritten = 400_000

export function texToMarkdown(source: string, constant: TexConversion['constant'] = () => undefined) {
  let depth = 0
  const conversion: TexConversion = {
    unknown: new Set(),
    footnotes: [],
    constant,
    convert(inner) {
      if (depth >= mostDepth) return writeText(inner)
      depth++
      try {
        return convertText(inner, conversion)
      } finally {
        depth--
      }
    },
  }
  const body = conversion.convert(stripComments(source.replaceAll('\r\n', '\n')))
  const notes = conversion.footnotes.map((text, i) => `[^${i + 1}]: ${oneLine(text)}`)
  const text = [tidy(body), ...notes].join('\n\n').trim()
  return { text: text === '' ? '' : `${text}\n`, unknown: [...conversion.unknown] }
}

function convertText(source: string, conversion: TexConversion): string {
  const scanner = makeScanner(source)
  let written = ''
  while (!scanner.isAtEnd()) {
    const plain = scanner.take(/[^\\{}$]+/y)
    if (plain !== undefined) written += guardLineStarts(writeText(plain))
    else if (scanner.peek() === '$') written += readMaths(scanner)
    else if (scanner.peek() === '{') written += convertGroup(scanner.readArgument(), conversion)
    else if (scanner.peek() === '}') scanner.next()
    else if (scanner.take(/\\begin\b/y)) written += beginEnvironment(scanner.readArgument().trim(), scanner, conversion)
    else written += convertCommand(scanner, conversion)
    if (written.length > mostWritten) throw invalidPackage(`The statement comes to over ${mostWritten} characters.`)
  }
  return written
}

/** Longer names are no environments. */
const longestName = 40

const beginEnvironment = (name: string, scanner: Scanner, conversion: TexConversion): string =>
  name.length > longestName ? writeText(`\\begin{${name}}`) : convertEnvironment(name, scanner, conversion)

function readMaths(scanner: Scanner): string {
  const mark = scanner.peek(2) === '$$' ? '$$' : '$'
  scanner.next(mark.length)
  const inner = scanner.readUntil(mark)
  if (inner === undefined) return mark.replaceAll('$', '\\$')
  return mark === '$' ? `$${oneLine(inner)}$` : `\n\n$$\n${inner.trim()}\n$$\n\n`
}

/** `{\bf words}`: a font command applies to the end of its group. */
function convertGroup(inner: string, conversion: TexConversion): string {
  const [all, name] = /^\s*\\(bf|bfseries|it|itshape|em|tt|ttfamily|sc|sl)\b\s*/.exec(inner) ?? []
  if (all === undefined) return conversion.convert(inner)
  const command = { bf: 'textbf', bfseries: 'textbf', tt: 'texttt', ttfamily: 'texttt', sc: 'textsc' }[name!] ?? 'emph'
  return conversion.convert(`\\${command}{${inner.slice(all.length)}}`)
}
