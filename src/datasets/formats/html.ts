/** Items as a page with one table that can be opened as it is: everything escaped, nothing that runs. */
import type { Column } from '../columns.ts'
import { ByteWriter } from '../items/byte-writer.ts'
import { type FieldSelector, ItemReader } from '../items/item-reader.ts'
import { escapeText } from '../xml/xml-text.ts'
import { writeMarkupText } from './markup-text.ts'
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

export function writeHtmlRows(
  lines: Buffer,
  columns: readonly Column[],
  selectField: FieldSelector,
  skipEmpty: boolean,
): Buffer {
  const reader = new ItemReader(selectField, columns)
  const out = new ByteWriter(2 * lines.length)
  walkRows(lines, reader, skipEmpty, (bytes) => {
    const { starts, ends, stamps, item } = reader
    out.reserve(rowStart.length)
    out.addRange(rowStart, 0, rowStart.length)
    for (let slot = 0; slot < starts.length; slot++) {
      out.reserve(cellStart.length)
      out.addRange(cellStart, 0, cellStart.length)
      if (stamps[slot] === item) writeCell(out, bytes, starts[slot]!, ends[slot]!)
      out.reserve(cellEnd.length)
      out.addRange(cellEnd, 0, cellEnd.length)
    }
    out.reserve(rowEnd.length)
    out.addRange(rowEnd, 0, rowEnd.length)
  })
  return out.take()
}

function writeCell(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  if (bytes[start] === 0x22) writeMarkupText(out, bytes, start + 1, end - 1)
  else if (bytes[start] !== 0x6e) {
    out.reserve(end - start)
    out.addRange(bytes, start, end)
  }
}
