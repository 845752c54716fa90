/** Items as a page with one table that can be opened as it is: everything escaped, nothing that runs. */
import type { Column } from '../columns.ts'
import { ByteWriter } from '../items/byte-writer.ts'
import { escapeText } from '../xml/xml-text.ts'
import { CellReader } from './cell-reader.ts'
import { walkRows } from './table-rows.ts'
import type { FieldSelector } from './value-walk.ts'

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

export function writeHtmlRows(
  lines: Buffer,
  columns: readonly Column[],
  selectField: FieldSelector,
  skipEmpty: boolean,
): Buffer {
  const reader = new CellReader(selectField, columns)
  const out = new ByteWriter(2 * lines.length)
  walkRows(lines, reader, skipEmpty, (bytes) => {
    const { starts, ends, stamps, item } = reader
    let text = '<tr>'
    for (let slot = 0; slot < starts.length; slot++)
      text += stamps[slot] === item ? `<td>${cellText(bytes, starts[slot]!, ends[slot]!)}</td>` : '<td></td>'
    out.addText(`${text}</tr>\n`)
  })
  return out.take()
}

function cellText(bytes: Buffer, start: number, end: number): string {
  if (bytes[start] === 0x22) {
    const inner = bytes.toString('utf8', start + 1, end - 1)
    return escapeText(inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner)
  }
  return bytes[start] === 0x6e ? '' : bytes.toString('latin1', start, end)
}
