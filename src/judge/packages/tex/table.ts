/** TeX's `tabular` as a table of Markdown: its first row is the head, cells over several columns leave empty ones. */
import { makeScanner, splitOutside } from './scanner.ts'

const rules = /\\(?:hline|toprule|midrule|bottomrule)\b|\\(?:cline|cmidrule)(?:\([^)]*\))?\s*\{[^}]*\}/g

export function writeTable(columns: string, source: string, convert: (cell: string) => string): string {
  const rows = splitOutside(source.replace(rules, ''), /\\\\(?:\[[^\]]{0,50}\])?|\\tabularnewline/)
    .filter((row) => row.trim() !== '')
    .map((row) => splitOutside(row, /&/).flatMap((cell) => readCell(cell.trim(), convert)))
  const [head, ...others] = rows
  if (!head) return ''
  const width = Math.max(...rows.map((row) => row.length))
  const alignments = [...columns.replace(/\{[^}]*\}|[^lcrpX]/g, '')].map((letter) => marks[letter] ?? '---')
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, i) => cells[i] ?? '').join(' | ')} |`
  const separator = line(Array.from({ length: width }, (_, i) => alignments[i] ?? '---'))
  return `\n\n${[line(head), separator, ...others.map(line)].join('\n')}\n\n`
}

const marks: Readonly<Record<string, string>> = { l: ':--', c: ':-:', r: '--:' }

function readCell(cell: string, convert: (cell: string) => string): string[] {
  const scanner = makeScanner(cell)
  if (scanner.take(/\\multicolumn\b/y)) {
    const count = Math.min(Math.max(Number(scanner.readArgument()) || 1, 1), 50)
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

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, ' ')
