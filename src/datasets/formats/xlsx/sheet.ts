/** The rows of xlsx sheets: cells as XML, compressed slice by slice, with a new sheet whenever one is full. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { Packed } from '../../../lib/zip/zip-frame.ts'
import type { Column } from '../../columns.ts'
import { ByteWriter, copyBytes, copyRange } from '../../items/byte-writer.ts'
import { type FieldSelector, ItemReader } from '../../items/item-reader.ts'
import { entities, markupGrowth } from '../markup-text.ts'
import { walkRows } from '../table-rows.ts'
import { cutCell, escapeCell, isExactNumber, maxCellLength } from './cell-text.ts'
import { sheetEnd, sheetStart } from './workbook.ts'

/** The maximum number of rows in a sheet, including its header. */
export const maxSheetRows = 1_048_576

/** A part of one sheet's XML. */
export type SheetPart = Packed & { readonly sheet: number }

export type SheetPlan = {
  readonly columns: readonly Column[]
  readonly names: readonly string[]
  readonly hasHeader: boolean
  readonly sheetRows: number
}

export const rowsPerSheet = ({ hasHeader, sheetRows }: SheetPlan): number => sheetRows - (hasHeader ? 1 : 0)

export const countSheets = (plan: SheetPlan, rowCount: number): number =>
  Math.max(1, Math.ceil(rowCount / rowsPerSheet(plan)))

/** The beginning of a sheet: the header is the first row of every sheet. */
export function packSheetStart({ names, hasHeader }: SheetPlan): Packed {
  if (!hasHeader || names.length === 0) return pack(Buffer.from(sheetStart))
  const cells = names.map(
    (name, i) =>
      `<c r="${columnLetters(i)}1" s="1" t="inlineStr"><is><t xml:space="preserve">${escapeCell(name)}</t></is></c>`,
  )
  return pack(Buffer.from(`${sheetStart}<row r="1">${cells.join('')}</row>`))
}

export const packSheetEnd = (): Packed => pack(Buffer.from(sheetEnd))

/** Packs the rows of a slice. `firstRow`: the number of its first row, from 0 over all sheets. */
export function packRows(
  lines: Buffer,
  plan: SheetPlan,
  selectField: FieldSelector,
  skipEmpty: boolean,
  firstRow: number,
): SheetPart[] {
  const reader = new ItemReader(selectField, plan.columns)
  const out = new ByteWriter(lines.length * 3)
  const perSheet = rowsPerSheet(plan)
  const slices: SheetPart[] = []
  const openings = plan.columns.map((_, i) => Buffer.from(`<c r="${columnLetters(i)}`))
  let row = firstRow
  walkRows(lines, reader, skipEmpty, (bytes, start, end) => {
    if (row > firstRow && row % perSheet === 0) {
      slices.push({ ...pack(out.bytes.subarray(0, out.length)), sheet: Math.floor((row - 1) / perSheet) })
      out.length = 0
    }
    const room = markupGrowth * (end - start) + plan.columns.length * cellBytes + rowBytes
    writeRow(out, room, bytes, reader, openings, (row % perSheet) + (plan.hasHeader ? 2 : 1))
    row++
  })
  if (out.length > 0)
    slices.push({ ...pack(out.bytes.subarray(0, out.length)), sheet: Math.floor((row - 1) / perSheet) })
  out.close()
  return slices
}

/**
 * The data ends with a flush to a whole byte, so that the next part can be appended. Level 1 is 3 times as fast as
 * level 6, and its output is a tenth larger.
 */
function pack(raw: Buffer): Packed {
  const bytes = deflateRawSync(raw, { level: 1, finishFlush: constants.Z_SYNC_FLUSH })
  return { bytes, crc: crc32(raw), rawLength: raw.length }
}

const rowOpening = Buffer.from('<row r="')
const rowClosing = Buffer.from('</row>')
const tagEnd = Buffer.from('">')
const numberOpening = Buffer.from('"><v>')
const trueCell = Buffer.from('" t="b"><v>1</v></c>')
const falseCell = Buffer.from('" t="b"><v>0</v></c>')
const numberClosing = Buffer.from('</v></c>')
const textOpening = Buffer.from('" t="inlineStr"><is><t>')
const textClosing = Buffer.from('</t></is></c>')

/** Upper bounds on the tags of a row and of a cell. */
const rowBytes = 64
const cellBytes = 80

/** `room`: for the whole row, except for cells written by `careCell`. */
function writeRow(
  out: ByteWriter,
  room: number,
  bytes: Buffer,
  { starts, ends, stamps, item }: ItemReader,
  openings: readonly Buffer[],
  number: number,
) {
  const digits = Buffer.from(String(number))
  out.reserve(room)
  let into = out.bytes
  let to = copyBytes(into, copyBytes(into, copyBytes(into, out.length, rowOpening), digits), tagEnd)
  for (let slot = 0; slot < starts.length; slot++) {
    if (stamps[slot] !== item || bytes[starts[slot]!] === 0x6e) continue
    const start = starts[slot]!
    const end = ends[slot]!
    to = copyBytes(into, copyBytes(into, to, openings[slot]!), digits)
    const written = writeCell(into, to, bytes, start, end)
    if (written >= 0) to = written
    else {
      out.length = to
      out.addText(careCell(bytes, start, end))
      out.reserve(room)
      into = out.bytes
      to = out.length
    }
  }
  out.length = copyBytes(into, to, rowClosing)
}

/** Answers where the cell ends; -1 if it needs `careCell`. */
function writeCell(into: Buffer, to: number, bytes: Buffer, start: number, end: number): number {
  const first = bytes[start]!
  if (first === 0x22) return writeText(into, to, bytes, start, end)
  if (first === 0x74) return copyBytes(into, to, trueCell)
  if (first === 0x66) return copyBytes(into, to, falseCell)
  const isExact = end - start <= 15 ? isShort(bytes, start, end) : false
  if (!isExact && !isExactNumber(bytes.toString('latin1', start, end))) return -1
  return copyBytes(into, copyRange(into, copyBytes(into, to, numberOpening), bytes, start, end), numberClosing)
}

/** A text that is escaped or cut, or a number written as text. */
function careCell(bytes: Buffer, start: number, end: number): string {
  const json = bytes.toString('utf8', start, end)
  const text = bytes[start] === 0x22 ? escapeCell(JSON.parse(json) as string) : cutCell(json)
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : ''
  return `" t="inlineStr"><is><t${space}>${text}</t></is></c>`
}

/** A number of at most 15 characters without an exponent is exact. */
function isShort(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === 0x65 || bytes[i] === 0x45) return false
  return true
}

/** Bytes that can't be copied into XML text: `_` might begin an `_xHHHH_` in the data, and 0xEF a U+FFFE. */
const special = new Uint8Array(256)
for (const letter of '<>&\\_') special[letter.charCodeAt(0)] = 1
special[0xef] = 1

function writeText(into: Buffer, from: number, bytes: Buffer, start: number, end: number): number {
  const last = end - 1
  if (end - start >= maxCellLength || bytes[start + 1] === 0x20 || bytes[last - 1] === 0x20) return -1
  let to = copyBytes(into, from, textOpening)
  for (let i = start + 1; i < last; i++) {
    const byte = bytes[i]!
    if (special[byte] === 1 && (byte !== 0x5f || bytes[i + 1] === 0x78))
      return writeMarkup(into, from, bytes, start, end)
    into[to++] = byte
  }
  return copyBytes(into, to, textClosing)
}

const spacedOpening = Buffer.from('" t="inlineStr"><is><t xml:space="preserve">')

/** A text with markup, quotes or line breaks. */
function writeMarkup(into: Buffer, from: number, bytes: Buffer, start: number, end: number): number {
  let to = copyBytes(into, from, spacedOpening)
  for (let i = start + 1; i < end - 1; i++) {
    const byte = bytes[i]!
    if (special[byte] === 0 || (byte === 0x5f && bytes[i + 1] !== 0x78)) {
      into[to++] = byte
      continue
    }
    const instead = byte === 0x5c ? unescaped[bytes[++i]!] : entities[byte]
    if (instead === undefined) return -1
    to = copyBytes(into, to, instead)
  }
  return copyBytes(into, to, textClosing)
}

const unescaped: (Buffer | undefined)[] = []
for (const [letter, text] of Object.entries({ '"': '"', '\\': '\\', '/': '/', n: '\n', t: '\t' }))
  unescaped[letter.charCodeAt(0)] = Buffer.from(text)

/** A, B … Z, AA … */
function columnLetters(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest > 0 ? columnLetters(rest - 1) : '') + String.fromCharCode(65 + (index % 26))
}
