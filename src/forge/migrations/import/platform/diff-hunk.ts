/** Finds the line that a comment was written on: the last one of its part of the difference. */

const start = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/

export function findLine(hunk: string) {
  const [head = '', ...lines] = hunk.split('\n')
  const [, before, after] = start.exec(head) ?? []
  let [left, right] = [Number(before ?? 1) - 1, Number(after ?? 1) - 1]
  let isLeft = false
  for (const line of lines) {
    const [mark] = line
    if (mark === '\\') continue
    isLeft = mark === '-'
    if (mark !== '+') left++
    if (mark !== '-') right++
  }
  const line = Math.max(1, isLeft ? left : right)
  return { line, startLine: null, side: isLeft ? 'LEFT' : 'RIGHT', startSide: null, resolvedAt: null, resolver: null }
}
