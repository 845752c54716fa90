/** Items as an HTML page with one table: everything is escaped, and nothing is executable. */
import type { Column } from '../columns.ts'
import { ByteWriter, copyBytes, copyRange } from '../items/byte-writer.ts'
import { type FieldSelector, ItemReader } from '../items/item-reader.ts'
import { escapeText } from '../xml/xml-text.ts'
import { markupGrowth, writeMarkupText } from './markup-text.ts'
import { walkRows } from './table-rows.ts'

export function htmlStart(title: string, names: readonly string[], hasHeader: boolean): string {
  const cells = names.map((name) => `<th>${escapeText(name)}</th>`).join('')
  const header = hasHeader && cells !== '' ? `<thead><tr>${cells}</tr></thead>\n` : ''
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}</title>
<style>
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif }
body { margin: 0 }
table { border-collapse: collapse }
th, td { padding: .3em .7em; border: 1px solid #8884; text-align: left; vertical-align: top; white-space: pre-wrap; max-width: 40em; overflow-wrap: anywhere }
th { position: sticky; top: 0; background: Canvas }
tbody tr:nth-child(even) { background: #8881 }
</style>
</head>
<body>
<table>
${header}<tbody>
`
}

export const htmlEnd = '</tbody>\n</table>\n</body>\n</html>\n'

const rowStart = Buffer.from('<tr>')
const rowEnd = Buffer.from('</tr>\n')
const cellStart = Buffer.from('<td>')
const cellEnd = Buffer.from('</td>')
const rowBytes = rowStart.length + rowEnd.length
const cellBytes = cellStart.length + cellEnd.length

export function writeHtmlRows(
  lines: Buffer,
  columns: readonly Column[],
  selectField: FieldSelector,
  skipEmpty: boolean,
): Buffer {
  const reader = new ItemReader(selectField, columns)
  const out = new ByteWriter(2 * lines.length)
  walkRows(lines, reader, skipEmpty, (bytes, start, end) => {
    out.reserve(rowBytes + columns.length * cellBytes + markupGrowth * (end - start))
    out.length = writeRow(out.bytes, out.length, bytes, reader)
  })
  return out.take()
}

function writeRow(into: Buffer, from: number, bytes: Buffer, { starts, ends, stamps, item }: ItemReader): number {
  let to = copyBytes(into, from, rowStart)
  for (let slot = 0; slot < starts.length; slot++) {
    to = copyBytes(into, to, cellStart)
    if (stamps[slot] === item) to = writeCell(into, to, bytes, starts[slot]!, ends[slot]!)
    to = copyBytes(into, to, cellEnd)
  }
  return copyBytes(into, to, rowEnd)
}

function writeCell(into: Buffer, to: number, bytes: Buffer, start: number, end: number): number {
  if (bytes[start] === 0x22) return writeMarkupText(into, to, bytes, start + 1, end - 1)
  return bytes[start] === 0x6e ? to : copyRange(into, to, bytes, start, end)
}
