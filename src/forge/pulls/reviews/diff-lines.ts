/** Lines of a file's patch: finds a comment's line by position or by either side's line number, and its present one. */
import type { DiffSide } from '../../../store/schema/pull-tables.ts'

export type DiffLine = {
  /** Counted from the line below the first `@@`; later `@@` lines count too. */
  readonly position: number
  readonly text: string
  readonly left: number | undefined
  readonly right: number | undefined
  /** The index of its hunk's `@@` line. */
  readonly hunkStart: number
}

export type LinePosition = {
  readonly position: number
  readonly line: number
  readonly startLine: number | null
}

/** Only the end of a long hunk is kept, because the comment is about it. */
const maxHunkLines = 100
const maxHunkCharacters = 16_000
/** This many lines up to the commented one must be unchanged for it to be found again. */
const comparedLines = 3

export function parsePatch(patch: string): DiffLine[] {
  const lines: DiffLine[] = []
  let [left, right, hunkStart] = [0, 0, 0]
  for (const text of patch.split('\n')) {
    const position = lines.length
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (header) {
      ;[left, right, hunkStart] = [Number(header[1]), Number(header[2]), position]
      lines.push({ position, text, left: undefined, right: undefined, hunkStart })
      continue
    }
    const isLeft = text.startsWith('-') || text.startsWith(' ')
    const isRight = text.startsWith('+') || text.startsWith(' ')
    lines.push({ position, text, left: isLeft ? left : undefined, right: isRight ? right : undefined, hunkStart })
    if (isLeft) left++
    if (isRight) right++
  }
  return lines
}

/** A context line counts as right, unless the left side is asked for. */
export const sideOf = ({ text }: DiffLine): DiffSide => (text.startsWith('-') ? 'LEFT' : 'RIGHT')

export const lineOf = (line: DiffLine, side: DiffSide): number | undefined => (side === 'LEFT' ? line.left : line.right)

export const findByPosition = (lines: readonly DiffLine[], position: number): DiffLine | undefined => {
  const found = lines[position]
  return found && (found.left !== undefined || found.right !== undefined) ? found : undefined
}

export const findByLine = (lines: readonly DiffLine[], line: number, side: DiffSide): DiffLine | undefined =>
  lines.find((each) => lineOf(each, side) === line)

/** The hunk from its `@@` line down to this line. */
export function hunkUpTo(lines: readonly DiffLine[], { position, hunkStart }: DiffLine): string {
  const first = Math.max(hunkStart + 1, position - maxHunkLines)
  let start = position
  let length = lines[position]!.text.length
  while (start > first && length + lines[start - 1]!.text.length < maxHunkCharacters)
    length += lines[--start]!.text.length + 1
  const texts = lines.slice(start, position + 1).map(({ text }) => text.slice(0, maxHunkCharacters))
  return [lines[hunkStart]!.text, ...texts].join('\n')
}

type Written = {
  readonly hunk: string
  readonly side: DiffSide
  readonly line: number
  readonly startLine: number | null
}

/** Finds the commented line in another version of the patch; undefined if it is gone and the comment is outdated. */
export function findAgain(
  lines: readonly DiffLine[],
  { hunk, side, line, startLine }: Written,
): LinePosition | undefined {
  const known = hunk.split('\n').slice(1).slice(-comparedLines)
  if (known.length === 0) return undefined
  const isSame = (at: number) => known.every((text, i) => lines[at - known.length + 1 + i]?.text === text)
  let nearest: DiffLine | undefined
  let shortest = Number.POSITIVE_INFINITY
  // In the worst case every line looks the same: compare only those nearer than the last match.
  for (const [at, each] of lines.entries()) {
    const distance = Math.abs((lineOf(each, side) ?? Number.POSITIVE_INFINITY) - line)
    if (distance >= shortest || !isSame(at)) continue
    nearest = each
    shortest = distance
  }
  if (!nearest) return undefined
  const now = lineOf(nearest, side)!
  return { position: nearest.position, line: now, startLine: startLine === null ? null : startLine + now - line }
}
