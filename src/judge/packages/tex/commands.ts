/** TeX commands as Markdown: fonts, links, pictures, headings, characters. */

import type { TexConversion } from './conversion.ts'
import type { Scanner } from './scanner.ts'
import { isAccent, joinLines, oneLine, writeAccent, writeCode, writeEmphasis, writeText } from './text.ts'

const symbols: Readonly<Record<string, string>> = {
  ldots: '…',
  dots: '…',
  textellipsis: '…',
  textbackslash: '\\\\',
  textasciitilde: '\\~',
  textasciicircum: '^',
  textless: '\\<',
  textgreater: '>',
  textbar: '\\|',
  textunderscore: '\\_',
  textquotedbl: '"',
  textdegree: '°',
  copyright: '©',
  S: '§',
  P: '¶',
  ss: 'ß',
  ae: 'æ',
  AE: 'Æ',
  oe: 'œ',
  OE: 'Œ',
  o: 'ø',
  O: 'Ø',
  aa: 'å',
  AA: 'Å',
  l: 'ł',
  L: 'Ł',
  i: 'ı',
  euro: '€',
  pounds: '£',
  par: '\n\n',
  newline: '  \n',
  quad: ' ',
  qquad: ' ',
}

/** Commands for layout on paper, or for the place of samples, which the server shows by itself. */
const dropped = new Set(
  `noindent indent smallskip medskip bigskip newpage clearpage pagebreak linebreak centering raggedright tiny scriptsize
  footnotesize small normalsize large Large LARGE huge Huge nextsample remainingsamples hfill vfill exmpfile Examples
  Example maketitle sloppy null relax unskip bfseries itshape ttfamily`.split(/\s+/),
)
/** Commands that are dropped with this number of arguments. */
const droppedWith: Readonly<Record<string, number>> = {
  label: 1,
  vspace: 1,
  hspace: 1,
  problemname: 1,
  setlength: 2,
  usepackage: 1,
  documentclass: 1,
  exmp: 2,
  exmpfile: 2,
  lstset: 1,
  pagestyle: 1,
}
const emphasised: Readonly<Record<string, string>> = {
  textbf: '**',
  textit: '*',
  emph: '*',
  underline: '*',
  textsl: '*',
  sout: '~~',
}
const headings: Readonly<Record<string, string>> = {
  section: '##',
  subsection: '###',
  subsubsection: '####',
  paragraph: '####',
}
/** Polygon's sections, which end at the next one. */
const polygonSections: Readonly<Record<string, string>> = {
  InputFile: 'Input',
  OutputFile: 'Output',
  Interaction: 'Interaction',
  Note: 'Note',
  Notes: 'Notes',
  Scoring: 'Scoring',
}
const through = new Set([
  'textsc',
  'textrm',
  'textsf',
  'textnormal',
  'text',
  'mbox',
  'uppercase',
  'caption',
  'centerline',
  'textup',
])

export function convertCommand(scanner: Scanner, conversion: TexConversion): string {
  const { convert } = conversion
  scanner.next()
  const name = scanner.take(/[A-Za-z]+\*?/y) ?? scanner.next()
  const plain = name.replace(/\*$/, '')
  if (!/^[A-Za-z]/.test(name)) return convertMark(name, scanner, conversion)
  // The tables below are objects, so names such as `constructor` would be found in their prototype.
  if (plain in Object.prototype) return keepUnknown(plain, conversion)
  if (plain === 'verb') return readVerb(scanner)
  // An accent named by a letter, such as \c{c}, always has its argument in braces; \t and \it are fonts in packages.
  if (isAccent(plain) && scanner.hasArgument()) return writeAccent(plain, scanner.readArgument())
  if (emphasised[plain]) return writeEmphasis(emphasised[plain], convert(scanner.readArgument()))
  if (['texttt', 't', 'tt'].includes(plain) && scanner.hasArgument())
    return writeMonospace(scanner.readArgument(), conversion)
  if (['bf', 'it', 'em', 'sc', 'sl', 'tt'].includes(plain))
    return scanner.hasArgument() ? writeEmphasis(plain === 'bf' ? '**' : '*', convert(scanner.readArgument())) : ''
  if (headings[plain]) return `\n\n${headings[plain]} ${oneLine(convert(scanner.readArgument()))}\n\n`
  if (polygonSections[plain]) return `\n\n## ${polygonSections[plain]}\n\n`
  if (through.has(plain)) return convert(scanner.readArgument())
  if (plain === 'includegraphics') return readPicture(scanner)
  if (plain === 'illustration') return readIllustration(scanner, conversion)
  if (plain === 'url') return writeLink(scanner.readArgument().trim(), undefined)
  if (plain === 'href') return writeLink(scanner.readArgument().trim(), convert(scanner.readArgument()))
  if (plain === 'epigraph') {
    const lines = [convert(scanner.readArgument()), `— ${convert(scanner.readArgument())}`]
    return `\n\n${lines.map((line) => `> ${oneLine(line)}`).join('\n>\n')}\n\n`
  }
  if (plain === 'footnote') {
    conversion.footnotes.push(convert(scanner.readArgument()))
    return `[^${conversion.footnotes.length}]`
  }
  if (plain === 'constant') {
    const constant = scanner.readArgument().trim()
    return writeText(conversion.constant(constant) ?? `\\constant{${constant}}`)
  }
  if (plain === 'def') return readDefinition(scanner, conversion)
  if (plain === 'scalebox' || plain === 'resizebox') {
    for (let i = plain === 'scalebox' ? 1 : 2; i > 0; i--) scanner.readArgument()
    return convert(scanner.readArgument())
  }
  return convertOther(plain, scanner, conversion)
}

function convertOther(plain: string, scanner: Scanner, conversion: TexConversion): string {
  if (Object.hasOwn(symbols, plain)) {
    // Blanks after a command end its name; an empty group preserves them.
    if (!scanner.take(/\{\}/y)) scanner.take(/[ \t]+/y)
    return symbols[plain]!
  }
  if (droppedWith[plain] !== undefined) {
    scanner.readOption()
    for (let i = 0; i < droppedWith[plain] && scanner.hasArgument(); i++) scanner.readArgument()
    return ''
  }
  if (dropped.has(plain)) {
    scanner.take(/\{\}|[ \t]+/y)
    return ''
  }
  return keepUnknown(plain, conversion)
}

function keepUnknown(name: string, { unknown }: TexConversion): string {
  unknown.add(`\\${name}`)
  return writeText(`\\${name}`)
}

function convertMark(mark: string, scanner: Scanner, conversion: TexConversion): string {
  if (mark === '\\') {
    scanner.readOption()
    return '  \n'
  }
  if (mark === '(' || mark === '[') {
    const inner = scanner.readUntil(mark === '(' ? '\\)' : '\\]')
    if (inner === undefined) return `\\${mark}`
    return mark === '(' ? `$${inner.trim()}$` : `\n\n$$\n${inner.trim()}\n$$\n\n`
  }
  if (isAccent(mark) && /[A-Za-z{\\]/.test(scanner.peek())) return writeAccent(mark, scanner.readArgument())
  if (mark === ' ' || mark === '\n' || mark === ',' || mark === ';' || mark === ':') return ' '
  if (mark === '-' || mark === '/' || mark === '!') return ''
  if ('%&#_{}$'.includes(mark)) return mark === '%' || mark === '&' || mark === '{' || mark === '}' ? mark : `\\${mark}`
  return keepUnknown(mark, conversion)
}

/** Code is literal: only TeX's escapes are undone. Text with maths or commands can't become code in Markdown. */
function writeMonospace(inner: string, { convert }: TexConversion): string {
  const plain = inner
    .replace(/\\([%&#_{}$ ])/g, '$1')
    .replace(/\\textbackslash(?:\{\})?\s*/g, '\\')
    .replaceAll('~', ' ')
  const isPlain = !/(?:^|[^\\])\$|\\[A-Za-z(]/.test(inner.replace(/\\textbackslash/g, ''))
  return isPlain && plain.trim() !== '' ? writeCode(joinLines(plain)) : convert(inner)
}

/** TeX ends it within the line. Limiting the search bounds the time if each command uses a different mark. */
const longestVerb = 1_000

function readVerb(scanner: Scanner): string {
  const mark = scanner.next()
  const inner = scanner.readUntil(mark, longestVerb)
  return inner === undefined ? writeText(`\\verb${mark}`) : writeCode(inner)
}

function readPicture(scanner: Scanner): string {
  scanner.readOption()
  return writePicture(scanner.readArgument(), '')
}

function readIllustration(scanner: Scanner, { convert }: TexConversion): string {
  scanner.readArgument()
  const file = scanner.readArgument()
  const caption = oneLine(convert(scanner.readArgument()))
  return `\n\n${writePicture(file, caption)}\n\n${caption && `${writeEmphasis('*', caption)}\n\n`}`
}

/** A file that browsers can't show as a picture, such as a PDF, becomes a link. */
function writePicture(file: string, caption: string): string {
  const address = encodeURI(file.trim().toWellFormed()).replace(
    /[()]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  )
  const label = caption.replace(/[[\]$]/g, '').replace(/[*_`\\]/g, '')
  if (/\.(?:pdf|e?ps)$/i.test(file.trim())) return `[${label || writeText(file.trim())}](${address})`
  return `![${label}](${address})`
}

function writeLink(address: string, text: string | undefined): string {
  const plain = address.replace(/\\([%&#_~])/g, '$1')
  if (!/^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(plain)) return text ?? writeCode(plain)
  return text === undefined ? `<${plain}>` : `[${oneLine(text)}](<${plain}>)`
}

/** Polygon scales pictures on its page with `\def \htmlPixelsInCm {45}`; other definitions stay text. */
function readDefinition(scanner: Scanner, conversion: TexConversion): string {
  scanner.skipBlanks()
  const name = scanner.take(/\\[A-Za-z]+/y) ?? ''
  if (name !== '\\htmlPixelsInCm') {
    conversion.unknown.add('\\def')
    return writeText(`\\def${name}`)
  }
  scanner.readArgument()
  return ''
}
