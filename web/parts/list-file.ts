/** The text of a list that somebody chose as a file, however a spreadsheet has encoded it. */
import { decodeUtf8 } from '../../src/lib/text/utf8.ts'
import { Fault } from '../api/fault.ts'

const save = 'Save it as CSV, or copy the cells and paste them here.'

const zip = 'PK\x03\x04'
/** Workbooks of before 2007 are OLE files. */
const ole = '\xd0\xcf\x11\xe0'

/** By their first bytes, and by their names where these say more. */
const others: readonly (readonly [beginning: string, name: RegExp, what: string])[] = [
  [zip, /\.xls[xm]$/i, `an Excel workbook. ${save}`],
  [ole, /\.xls$/i, `an Excel workbook. ${save}`],
  [zip, /\.ods$/i, `a spreadsheet. ${save}`],
  ['\x89PNG', /./, 'a picture, not a list.'],
  ['\xff\xd8\xff', /./, 'a picture, not a list.'],
  ['GIF8', /./, 'a picture, not a list.'],
  ['%PDF', /./, 'a PDF document, not a list. Copy its lines and paste them here.'],
]

export async function readListFile(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const beginning = String.fromCharCode(...bytes.subarray(0, 4))
  const other = others.find(([first, name]) => beginning.startsWith(first) && name.test(file.name))
  if (other) throw new Fault(0, `${file.name} is ${other[2]}`)
  const text = decodeList(bytes)
  if (text.includes('\0')) throw new Fault(0, `${file.name} is not a text file. ${save}`)
  return text
}

/** Excel saves UTF-16 as “Unicode text”, and plain CSV in the Windows code page of western Europe. */
function decodeList(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  return decodeUtf8(bytes)?.replace(/^\uFEFF/, '') ?? new TextDecoder('windows-1252').decode(bytes)
}
