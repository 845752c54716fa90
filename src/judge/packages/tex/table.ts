/**
 * TeX's `tabular` as a Markdown table: the first row becomes the head, and cells over several columns leave empty ones.
 */
import { invalidPackage } from '../package-files.ts'
import { makeScanner, splitOutside } from './scanner.ts'
import { oneLine } from './text.ts'

const rules = /\\(?:hline|toprule|midrule|bottomrule)\b|\\(?:cline|cmidrule)(?:\([^()]*\))?\s*\{[^{}]*\}/g

/** Every row is padded to the widest: a few thousand characters could become millions of cells. */
const mostColumns = 100
const mostCells = 20_000

export function writeTable(columns: string, source: string, convert: (cell: string) => string): string {
  const texts = splitOutside(source.replace(rules, ''), /\\\\(?:\[[^\]]{0,50}\])?|\\tabularnewline/).filter(
    (row) => row.trim() !== '',
  )
  let width = 0
  const rows: string[][] = []
  for (const text of texts) {
    const cells = splitOutside(text, /&/)
    demandSize(cells.length, texts.length)
    const row = cells.flatMap((cell) => readCell(cell.trim(), convert))
    width = Math.max(width, row.length)
    demandSize(width, texts.length)
    rows.push(row)
  }
  const [head, ...others] = rows
  if (!head) return ''
  const alignments = [...columns.replace(/\{[^{}]*\}|[^lcrpX]/g, '').slice(0, width)].map(
    (letter) => marks[letter] ?? '---',
  )
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, i) => cells[i] ?? '').join(' | ')} |`
  const separator = line(Array.from({ length: width }, (_, i) => alignments[i] ?? '---'))
  return `\n\n${[line(head), separator, ...others.map(line)].join('\n')}\n\n`
}

function demandSize(width: number, height: number): void {
  if (width > mostColumns) throw invalidPackage(`The statement has a table of more than ${mostColumns} columns.`)
  if (width * height > mostCells) throw invalidPackage(`The statement has a table of more than ${mostCells} cells.`)
}

const marks: Readonly<Record<string, string>> = { l: ':--', c: ':-:', r: '--:' }

function readCell(cell: string, convert: (cell: string) => string): string[] {
  const scanner = makeScanner(cell)
  if (scanner.take(/\\multicolumn\b/y)) {
    const count = Math.min(Math.max(Math.floor(Number(scanner.readArgument())) || 1, 1), mostColumns)
    scanner.readArgument()
    return [oneLine(convert(scanner.readArgument())), ...Array.from({ length: count - 1 }, () => '')]
  }
  if (scanner.take(/\\multirow\b/y)) {
    scanner.readArgument()
    scanner.readArgument()
    return [oneLine(convert(scanner.readArgument()))]
  }
  return [oneLine(convert(cell))]
}
