/** Natural order of paths: digits compare as numbers, so 2 comes before 10. */

/**
 * Compares folder by folder; equal numbers with different leading zeros, and everything else, by code unit. It
 * allocates nothing and starts at the first difference: an archive may have thousands of names of thousands of
 * characters.
 */
export function compareNaturally(a: string, b: string): number {
  const start = findDifference(a, b)
  const before = start > 0 ? a.charCodeAt(start - 1) : slash
  let [i, j] = [start, start]
  /** The position is inside a run of non-digits, which ends at a digit; of two runs the shorter comes first. */
  let isInWords = before !== slash && !isDigit(before)
  /** The position is inside a number, whose zeros count unless all digits before it are zeros. */
  let isInNumber = isDigit(before)
  while (i < a.length && j < b.length) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(j)
    if (isInNumber || (isDigit(left) && isDigit(right))) {
      const leftEnd = endOfNumber(a, i)
      const rightEnd = endOfNumber(b, j)
      const hasValue = isInNumber && endsInValue(a, i)
      const order = compareDigits(
        a,
        hasValue ? i : endOfZeros(a, i),
        leftEnd,
        b,
        hasValue ? j : endOfZeros(b, j),
        rightEnd,
      )
      if (order !== 0) return order
      i = leftEnd
      j = rightEnd
      isInWords = false
      isInNumber = false
    } else if (left === right) {
      i++
      j++
      isInWords = left !== slash
    } else if (left === slash || right === slash) return left === slash ? -1 : 1
    else if (isInWords && isDigit(left) !== isDigit(right)) return isDigit(left) ? -1 : 1
    else return left - right
  }
  return a.length - i - (b.length - j) || compareTexts(a, b)
}

const slash = 0x2f
const zero = 0x30

const isDigit = (code: number): boolean => code >= zero && code <= 0x39

function findDifference(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  let at = 0
  // Compares large blocks first: comparing slices is far faster than comparing characters.
  for (const width of [4096, 64]) {
    while (at + width <= shorter && a.slice(at, at + width) === b.slice(at, at + width)) at += width
  }
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

/** Whether the digits before `end` include one other than 0. */
function endsInValue(text: string, end: number): boolean {
  let at = end - 1
  while (at >= 0 && text.charCodeAt(at) === zero) at--
  return at >= 0 && isDigit(text.charCodeAt(at))
}

function endOfNumber(text: string, start: number): number {
  let at = start
  while (at < text.length && isDigit(text.charCodeAt(at))) at++
  return at
}

function endOfZeros(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === zero) at++
  return at
}

/** Compares numbers of any length without leading zeros: the longer one is greater. */
function compareDigits(a: string, startA: number, endA: number, b: string, startB: number, endB: number): number {
  const length = endA - startA
  if (length !== endB - startB) return length - (endB - startB)
  for (let i = 0; i < length; i++) {
    const difference = a.charCodeAt(startA + i) - b.charCodeAt(startB + i)
    if (difference !== 0) return difference
  }
  return 0
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
