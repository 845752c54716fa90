/** Stored items as lines of bytes: find, cut, reverse, and remove hidden fields without parsing values. */

import { startsHidden } from './field-names.ts'
import { scanString, scanValue } from './scan-value.ts'

const lineFeed = 0x0a

/** The start of the line with this index, searched from the nearer end. */
export function findLine(lines: Buffer, count: number, index: number): number {
  if (index <= 0) return 0
  if (index >= count) return lines.length
  if (index <= count / 2) {
    let at = 0
    for (let i = 0; i < index; i++) at = lines.indexOf(lineFeed, at) + 1
    return at
  }
  let at = lines.length - 1
  for (let i = count; i > index; i--) at = lines.lastIndexOf(lineFeed, at - 1)
  return at + 1
}

/** The lines after the first `count`. */
export function skipLines(lines: Buffer, count: number): Buffer {
  let at = 0
  for (let i = 0; i < count && at < lines.length; i++) at = lines.indexOf(lineFeed, at) + 1
  return lines.subarray(at)
}

export function cutLines(lines: Buffer, count: number, from: number, to: number): Buffer {
  const start = findLine(lines, count, from)
  const end = to >= count ? lines.length : start + findLine(lines.subarray(start), count - from, to - from)
  return lines.subarray(start, end)
}

export function reverseLines(lines: Buffer): Buffer {
  const reversed = Buffer.allocUnsafe(lines.length)
  let written = lines.length
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(lineFeed, start) + 1
    written -= end - start
    copyRange(lines, start, end, reversed, written)
    start = end
  }
  return reversed
}

export function countLines(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) count++
  return count
}

/** The start of each line, and the offset after its line feed. */
export function* eachLine(lines: Buffer): Generator<[number, number]> {
  let start = 0
  while (start < lines.length) {
    const end = lines.indexOf(lineFeed, start) + 1
    yield [start, end]
    start = end
  }
}

/** Each item without its hidden top-level fields; all other bytes are unchanged. */
export function dropHiddenFields(lines: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(lines.length)
  let written = 0
  for (const [start, end] of eachLine(lines)) written = copyVisible(lines, start, end, kept, written)
  return kept.subarray(0, written)
}

/** Whether a line may be an item without fields; also true for a line that only ends like one. */
export const mayHoldEmpty = (lines: Buffer): boolean => lines.includes('{}\n')

export function dropEmptyItems(lines: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(lines.length)
  let written = 0
  for (const [start, end] of eachLine(lines)) {
    if (end - start === 3) continue
    copyRange(lines, start, end, kept, written)
    written += end - start
  }
  return kept.subarray(0, written)
}

function copyVisible(lines: Buffer, start: number, end: number, kept: Buffer, from: number): number {
  let written = from
  kept[written++] = 0x7b
  let at = start + 1
  while (lines[at] === 0x22) {
    const memberEnd = scanValue(lines, scanString(lines, at + 1, 0) + 1, 1, 0)
    if (!startsHidden(lines, at + 1)) {
      if (kept[written - 1] !== 0x7b || written - 1 !== from) kept[written++] = 0x2c
      copyRange(lines, at, memberEnd, kept, written)
      written += memberEnd - at
    }
    at = memberEnd + (lines[memberEnd] === 0x2c ? 1 : 0)
  }
  kept[written++] = 0x7d
  kept[written++] = lines[end - 1]!
  return written
}

/** For a few bytes, a call into native code would take longer than the copy. */
function copyRange(from: Buffer, start: number, end: number, to: Buffer, at: number) {
  if (end - start > 96) from.copy(to, at, start, end)
  else for (let i = start; i < end; i++) to[at + i - start] = from[i]!
}
