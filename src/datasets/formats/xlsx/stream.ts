/** Streams an xlsx file: the small parts, then sheet after sheet from packed rows. */

import { ZipFrame } from '../../../lib/zip/zip-frame.ts'
import { countSheets, packSheetEnd, packSheetStart, type SheetPart, type SheetPlan } from './sheet.ts'
import { sheetPath, writeParts } from './workbook.ts'

/** The XML may be this many times as large as the items: a cell's tags are longer than a digit. */
const growth = 30

export async function* streamWorkbook(
  plan: SheetPlan,
  rowCount: number,
  itemBytes: number,
  packed: AsyncIterable<readonly SheetPart[]>,
): AsyncGenerator<Buffer> {
  const zip = new ZipFrame()
  const sheetCount = countSheets(plan, rowCount)
  const mayBeLarge = itemBytes * growth > 0xffffffff
  yield Buffer.concat(writeParts(sheetCount).map(([path, text]) => zip.add(path, text)))

  let current = 0
  const begin = () => Buffer.concat([zip.open(sheetPath(current), mayBeLarge), zip.append(packSheetStart(plan))])
  const end = () => Buffer.concat([zip.append(packSheetEnd()), zip.close(true)])
  yield begin()
  for await (const slices of packed)
    for (const slice of slices) {
      while (slice.sheet > current) {
        yield end()
        current++
        yield begin()
      }
      yield zip.append(slice)
    }
  yield end()
  yield zip.finish()
}
