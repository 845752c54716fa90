/**
 * Plans which ranges of which indexes contain every item that a filter selects. They may contain others: the filter is
 * applied to the items found.
 */
import type { Comparison, Condition, FieldPath } from '../query/filter.ts'
import { existing, intersectRanges, type KeyRange, pointOf, rangeOf } from './index-key.ts'

/** `index`: a position in the list of indexes. A null range is empty. */
export type Lookup =
  | { readonly kind: 'range'; readonly index: number; readonly range: KeyRange | null }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Lookup[] }

/** Null if the indexes do not help. */
export function planLookup(condition: Condition, paths: readonly FieldPath[]): Lookup | null {
  switch (condition.kind) {
    case 'not':
      return null
    case 'exists':
      return planRange(condition.path, existing, paths)
    case 'comparison':
      return planRange(condition.path, rangeOf(condition.operator, condition.value), paths)
    case 'or': {
      const parts = condition.parts.map((part) => planLookup(part, paths))
      return parts.every((part) => part !== null) ? { kind: 'or', parts } : null
    }
    case 'and':
      return join(condition.parts.map((part) => planLookup(part, paths)).filter((part) => part !== null))
  }
}

/** The index and the key of all items that the filter selects, if it is a single comparison that a key decides. */
export function planPoint(condition: Condition, paths: readonly FieldPath[]): { index: number; key: Buffer } | null {
  if (condition.kind !== 'comparison' || condition.operator !== '=') return null
  const index = findIndex(condition.path, paths)
  const key = pointOf(condition.value)
  return index === -1 || key === null ? null : { index, key }
}

export const isSamePath = (a: FieldPath, b: FieldPath): boolean =>
  a.length === b.length && a.every((segment, i) => segment === b[i])

export const findIndex = (path: FieldPath, paths: readonly FieldPath[]): number =>
  paths.findIndex((each) => isSamePath(each, path))

function planRange(path: Comparison['path'], range: KeyRange | null, paths: readonly FieldPath[]): Lookup | null {
  const index = findIndex(path, paths)
  return index === -1 || range === null ? null : { kind: 'range', index, range }
}

/** `year >= 1900 and year < 1910` is one range. */
function join(parts: readonly Lookup[]): Lookup | null {
  const joined: Lookup[] = []
  for (const part of parts.flatMap((each) => (each.kind === 'and' ? each.parts : [each]))) {
    const place = joined.findIndex(
      (each) => each.kind === 'range' && part.kind === 'range' && each.index === part.index,
    )
    const known = joined[place]
    if (known?.kind !== 'range' || part.kind !== 'range') joined.push(part)
    else
      joined[place] = {
        ...known,
        range: known.range && part.range && intersectRanges(known.range, part.range),
      }
  }
  return joined.length > 1 ? { kind: 'and', parts: joined } : (joined[0] ?? null)
}
