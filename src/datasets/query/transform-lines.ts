/** Transforms stored lines into lines again, so that every format reads the same thing whatever the query asks. */
import { ByteWriter } from '../items/byte-writer.ts'
import { dropEmptyItems, dropHiddenFields, mayHoldEmpty } from '../items/lines.ts'
import { readItem, writeFields } from '../items/value.ts'
import type { Transformation } from './item-query.ts'
import { keepsItems, makeTransform } from './transform.ts'

/** One item of 9 MB can be unwound into terabytes: that is no export any more. */
const maxBytes = 128 * 1024 * 1024

export type TransformedLines = {
  readonly lines: Buffer
  /** The place in `fields` of each top-level name, where that was asked for. */
  readonly rankOf: ReadonlyMap<string, number>
}

export function transformLines(lines: Buffer, query: Transformation): TransformedLines {
  if (keepsItems(query)) return { lines: keepBytes(lines, query), rankOf: new Map() }
  const transform = makeTransform(query)
  const rankOf = new Map<string, number>()
  const out = new ByteWriter(lines.length)
  for (const line of eachText(lines))
    for (const { fields, ranks } of transform(readItem(line))) {
      out.addText(`${writeFields(fields)}\n`)
      if (out.length > maxBytes) throw new Error('Items grew beyond all bounds when they were unwound.')
      if (ranks) noteRanks(rankOf, fields.names, ranks)
    }
  return { lines: out.take(), rankOf }
}

/** No item is parsed where only hidden fields and empty items go. */
function keepBytes(lines: Buffer, { skipHidden, skipEmpty }: Transformation): Buffer {
  const visible = skipHidden && mayHide(lines) ? dropHiddenFields(lines) : lines
  return skipEmpty && mayHoldEmpty(visible) ? dropEmptyItems(visible) : visible
}

const mayHide = (lines: Buffer) => lines.includes('"#') || lines.includes('"\\u0023')

/** Texts beyond this are kept where only a full collection clears them; a little at a time is gone at once. */
const textBytes = 32 * 1024

export function* eachText(lines: Buffer): Generator<string> {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(0x0a, Math.min(start + textBytes, lines.length) - 1) + 1
    const text = lines.toString('utf8', start, end)
    for (let from = 0; from < text.length; ) {
      const to = text.indexOf('\n', from)
      yield text.slice(from, to)
      from = to + 1
    }
    start = end
  }
}

function noteRanks(rankOf: Map<string, number>, names: readonly string[], ranks: readonly number[]) {
  for (const [i, name] of names.entries()) {
    const known = rankOf.get(name)
    if (known === undefined || ranks[i]! < known) rankOf.set(name, ranks[i]!)
  }
}
