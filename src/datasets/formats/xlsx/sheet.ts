/** The rows of xlsx sheets: cells as XML, compressed slice by slice, with a new sheet wherever one is full. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { Packed } from '../../../base/zip-frame.ts'
import type { Column } from '../../columns.ts'
import { ByteWriter } from '../../items/byte-writer.ts'
import { type FieldSelector, ItemReader } from '../../items/item-reader.ts'
import { walkRows } from '../table-rows.ts'
import { cutCell, escapeCell, isExactNumber } from './cell-text.ts'
import { sheetEnd, sheetStart } from './workbook.ts'

/** The number of rows that one sheet can hold, its header included. */
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

/** Packs the rows of a slice whose first row is this one, counted from 0 over all sheets. */
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
  walkRows(lines, reader, skipEmpty, (bytes) => {
    if (row > firstRow && row % perSheet === 0) {
      slices.push({ ...pack(out.bytes.subarray(0, out.length)), sheet: Math.floor((row - 1) / perSheet) })
      out.length = 0
    }
    writeRow(out, bytes, reader, openings, (row % perSheet) + (plan.hasHeader ? 2 : 1))
    row++
  })
  if (out.length > 0)
    slices.push({ ...pack(out.bytes.subarray(0, out.length)), sheet: Math.floor((row - 1) / perSheet) })
  out.close()
  return slices
}

/** The data ends with a flush to a whole byte, so that the next part can be appended. Level 1 is 3 times as fast as level 6 and a tenth larger. */
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

function writeRow(out: ByteWriter, bytes: Buffer, reader: ItemReader, openings: readonly Buffer[], number: number) {
  const { starts, ends, stamps, item } = reader
  const digits = Buffer.from(String(number))
  out.reserve(64)
  out.addRange(rowOpening, 0, rowOpening.length)
  out.addRange(digits, 0, digits.length)
  out.addRange(tagEnd, 0, tagEnd.length)
  for (let slot = 0; slot < starts.length; slot++) {
    if (stamps[slot] !== item) continue
    const start = starts[slot]!
    const end = ends[slot]!
    const first = bytes[start]!
    if (first === 0x6e) continue
    out.reserve(end - start + 96)
    const opening = openings[slot]!
    out.addRange(opening, 0, opening.length)
    out.addRange(digits, 0, digits.length)
    if (first === 0x22) writeText(out, bytes, start, end)
    else if (first === 0x74) out.addRange(trueCell, 0, trueCell.length)
    else if (first === 0x66) out.addRange(falseCell, 0, falseCell.length)
    else writeNumber(out, bytes, start, end)
  }
  out.reserve(16)
  out.addRange(rowClosing, 0, rowClosing.length)
}

function writeNumber(out: ByteWriter, bytes: Buffer, start: number, end: number) {
  const isExact = end - start <= 15 ? isShort(bytes, start, end) : false
  if (isExact || isExactNumber(bytes.toString('latin1', start, end))) {
    out.addRange(numberOpening, 0, numberOpening.length)
    out.addRange(bytes, start, end)
    out.addRange(numberClosing, 0, numberClosing.length)
  } else {
    out.addRange(textOpening, 0, textOpening.length)
    out.addText(cutCell(bytes.toString('latin1', start, end)))
    out.addRange(textClosing, 0, textClosing.length)
  }
}

/** A number of at most 15 characters without an exponent is exact. */
function isShort(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === 0x65 || bytes[i] === 0x45) return false
  return true
}

/** These bytes can't be copied into XML text as they are; `_` might begin an `_xHHHH_` in the data, and 0xEF a U+FFFE. */
const special = new Uint8Array(256)
for (const letter of '<>&\\_') special[letter.charCodeAt(0)] = 1
special[0xef] = 1

function writeText(out: ByteWriter, bytes: Buffer, start: number, end: number) {
  const last = end - 1
  const from = out.length
  out.addRange(textOpening, 0, textOpening.length)
  const into = out.bytes
  let at = out.length
  let i = start + 1
  for (; i < last; i++) {
    const byte = bytes[i]!
    if (special[byte] === 1 && (byte !== 0x5f || bytes[i + 1] === 0x78)) break
    into[at++] = byte
  }
  const isPlain = i === last && end - start < 32_767 && bytes[start + 1] !== 0x20 && bytes[last - 1] !== 0x20
  if (isPlain) {
    out.length = at
    out.addRange(textClosing, 0, textClosing.length)
    return
  }
  out.length = from
  const text = escapeCell(JSON.parse(bytes.toString('utf8', start, end)) as string)
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : ''
  out.addText(`" t="inlineStr"><is><t${space}>${text}</t></is></c>`)
}

/** A, B … Z, AA … */
function columnLetters(index: number): string {
  const rest = Math.floor(index / 26)
  return (rest > 0 ? columnLetters(rest - 1) : '') + String.fromCharCode(65 + (index % 26))
}
