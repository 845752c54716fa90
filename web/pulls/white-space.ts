/** A patch without the changes of white space alone: such lines are shown as unchanged ones, by their new text. */
import type { ChangedFile } from '../api/forge-types.ts'

/** Larger blocks are compared line by line in their order. */
const mostCells = 250_000

const bare = (line: string): string => line.slice(1).replace(/\s+/g, '')

export function withoutWhiteSpace(file: ChangedFile): ChangedFile {
  if (!file.patch) return file
  const hunks: string[][] = []
  let [additions, deletions] = [0, 0]
  for (const part of file.patch.split(/^(?=@@ )/m)) {
    const [head = '', ...lines] = part.replace(/\n$/, '').split('\n')
    const made = joinLines(lines)
    const added = made.filter((line) => line.startsWith('+')).length
    const removed = made.filter((line) => line.startsWith('-')).length
    if (added + removed === 0) continue
    additions += added
    deletions += removed
    hunks.push([head, ...made])
  }
  const { patch: _patch, ...rest } = file
  const counted = { ...rest, additions, deletions, changes: additions + deletions }
  return hunks.length === 0 ? counted : { ...counted, patch: hunks.map((lines) => lines.join('\n')).join('\n') }
}

/** Whether nothing but white space changed in it. */
export const isWhiteSpaceAlone = (file: ChangedFile): boolean =>
  file.patch !== undefined && withoutWhiteSpace(file).patch === undefined

function joinLines(lines: readonly string[]): string[] {
  const made: string[] = []
  let [removed, added]: [string[], string[]] = [[], []]
  const flush = () => {
    made.push(...align(removed, added))
    ;[removed, added] = [[], []]
  }
  for (const line of lines)
    if (line.startsWith('-') && added.length === 0) removed.push(line)
    else if (line.startsWith('+')) added.push(line)
    else if (line.startsWith('\\') && removed.length + added.length > 0) continue
    else {
      flush()
      if (line.startsWith('-')) removed.push(line)
      else made.push(line)
    }
  flush()
  return made
}

/** The longest common sequence of lines that are the same but for white space. */
function align(removed: readonly string[], added: readonly string[]): string[] {
  const [old, fresh] = [removed.map(bare), added.map(bare)]
  if (old.length * fresh.length > mostCells) return alignInOrder(removed, added)
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1))
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      lengths[i]![j] =
        old[i] === fresh[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const made: string[] = []
  let [waiting, j]: [string[], number] = [[], 0]
  for (let i = 0; i < old.length || j < fresh.length; ) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      made.push(...waiting, ` ${added[j]!.slice(1)}`)
      waiting = []
      i++
      j++
    } else if (i < old.length && (j >= fresh.length || lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      // Removed lines come before the added ones that take their place.
      made.push(removed[i++]!)
    } else waiting.push(added[j++]!)
  }
  return [...made, ...waiting]
}

function alignInOrder(removed: readonly string[], added: readonly string[]): string[] {
  const made: string[] = []
  let at = 0
  while (at < Math.min(removed.length, added.length) && bare(removed[at]!) === bare(added[at]!))
    made.push(` ${added[at++]!.slice(1)}`)
  return [...made, ...removed.slice(at), ...added.slice(at)]
}
