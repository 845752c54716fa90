/** Natural order of paths: numbers in them count as numbers, so that 2 comes before 10. */

/** Folder by folder; equal numbers with unlike zeros in front, and all else, by code unit. */
export function compareNaturally(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareNames(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length || compareTexts(a, b)
}

const runs = /\d+|\D+/g

function compareNames(a: string, b: string): number {
  const [left, right] = [a.match(runs) ?? [], b.match(runs) ?? []]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareRuns(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Numbers of any length: without zeros in front, the longer is the greater. */
function compareRuns(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareTexts(a, b)
  const [left, right] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')]
  return left.length - right.length || compareTexts(left, right)
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
