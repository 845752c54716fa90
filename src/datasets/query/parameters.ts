/** The names of query parameters: finds unknown ones, each with the nearest known name. */

export const itemParameters = [
  'offset',
  'limit',
  'desc',
  'format',
  'clean',
  'skipHidden',
  'skipEmpty',
  'skipFailedPages',
  'filter',
  'search',
  'sort',
  'distinct',
  'simplified',
  'fields',
  'outputFields',
  'omit',
  'unwind',
  'flatten',
  'view',
  'delimiter',
  'bom',
  'skipHeaderRow',
  'xmlRoot',
  'xmlRow',
  'feedTitle',
  'feedDescription',
  'attachment',
  'signature',
] as const

export type UnknownParameter = { readonly name: string; readonly nearest: string | null }

/** Bounds on the number and the length of reported names. */
const maxTold = 10
const maxLength = 64

export function findUnknown(given: Iterable<string>, known: readonly string[]): UnknownParameter[] {
  const unknown = [...new Set(given)].filter((name) => !known.includes(name)).slice(0, maxTold)
  return unknown.map((name) => ({ name: name.slice(0, maxLength), nearest: findNearest(name, known) }))
}

/** Names are near if they differ only in case, or in at most a third of their letters. */
function findNearest(name: string, known: readonly string[]): string | null {
  if (name.length > maxLength) return null
  let nearest: string | null = null
  let least = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const each of known) {
    const distance = measureDistance(name.toLowerCase(), each.toLowerCase())
    if (distance >= least) continue
    least = distance
    nearest = each
  }
  return nearest
}

/** The number of letters that must be changed, added, removed or swapped with a neighbour. */
function measureDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}
