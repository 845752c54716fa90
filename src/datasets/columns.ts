/** The columns of a table: the union of the paths to all values of a page, sorted, uniquely named, at most 2000. */

import { demand } from '../lib/failure.ts'

/** A path leads from the top-level name down; each segment is a name in an object or an index in an array. */
export type Path = readonly (string | number)[]

/** `rank` is the index of the column's field in the query's `fields`, or 0. */
export type Column = { readonly path: Path; readonly rank: number }

export type ColumnNames = readonly string[]

/** The columns found so far: the first ones in order, and their number in all. */
export type ColumnSurvey = {
  readonly columns: readonly Column[]
  readonly foundCount: number
  /** Ranks of fields that some item has, even if beyond the first columns. */
  readonly ranks: ReadonlySet<number>
}

export const maxColumns = 2000
export const maxNameLength = 200

/**
 * Compares by rank, then segment by segment: indexes as numbers before names, names by code point, the shorter path
 * first.
 */
export function compareColumns(a: Column, b: Column): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  const shared = Math.min(a.path.length, b.path.length)
  for (let i = 0; i < shared; i++) {
    const order = compareSegments(a.path[i]!, b.path[i]!)
    if (order !== 0) return order
  }
  return a.path.length - b.path.length
}

function compareSegments(a: string | number, b: string | number): number {
  if (a === b) return 0
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1
  return typeof b === 'number' ? 1 : compareCodePoints(a, b)
}

/** Comparing UTF-16 units would sort surrogates before U+E000, which code points do not. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff

const pathKey = (path: Path): string => JSON.stringify(path)

/** The total length of the names of all columns: 2000 names of 4,000 characters. */
const maxPathText = 8 * 1024 * 1024

/** In memory paths share their names, but not when sent to a worker: one name of a megabyte may be in 2000 paths. */
function demandBounded(columns: readonly Column[]): void {
  demand(
    measurePaths(columns) <= maxPathText,
    'invalid',
    'invalid-value',
    'The columns of this table have names of many thousand characters: choose others with fields or omit, or take json.',
  )
}

export function measurePaths(columns: readonly Column[]): number {
  let length = 0
  for (const { path } of columns) for (const segment of path) length += typeof segment === 'string' ? segment.length : 8
  return length
}

/** Beyond this many distinct columns the number of dropped ones is no longer exact, which bounds the memory. */
const maxCounted = 500_000

/** The columns of one slice: the first ones in order, their number in all, and a hash of each counted one. */
export type SliceColumns = {
  readonly columns: readonly Column[]
  readonly hashes: Float64Array
  readonly count: number
  readonly ranks: readonly number[]
}

/** Gathers a slice's columns in bounded memory: of a million names it keeps only those that may be among the first. */
export class ColumnTally {
  #first: Column[] = []
  #isCut = false
  readonly #seen = new Set<number>()
  readonly #ranks = new Set<number>()
  #uncounted = 0

  /** Copies the path if it keeps it: the caller may change it afterwards. Passing the hash saves reading all names. */
  note(path: Path, rank: number, hash = hashPath(path)) {
    if (this.#seen.has(hash)) return
    if (this.#seen.size < maxCounted) this.#seen.add(hash)
    else this.#uncounted++
    this.#ranks.add(rank)
    const column = { path, rank }
    if (this.#isCut && compareColumns(column, this.#first[maxColumns - 1]!) > 0) return
    this.#first.push({ path: [...path], rank })
    if (this.#first.length >= 2 * maxColumns) this.#cut()
  }

  finish(): SliceColumns {
    this.#cut()
    demandBounded(this.#first)
    return {
      columns: this.#first,
      hashes: Float64Array.from(this.#seen),
      count: this.#seen.size + this.#uncounted,
      ranks: [...this.#ranks],
    }
  }

  /** A column found after counting stopped may be in the list twice. */
  #cut() {
    const sorted = this.#first.sort(compareColumns)
    const distinct = sorted.filter((column, i) => i === 0 || compareColumns(column, sorted[i - 1]!) !== 0)
    this.#first = distinct.slice(0, maxColumns)
    this.#isCut = this.#first.length === maxColumns
  }
}

/** The hash of the empty path. */
export const rootHash = 0x811c9dc5c2b2a

/** The hash of a path that is one segment longer. Its 52 bits suffice to distinguish half a million columns. */
export function hashSegment(before: number, segment: string | number): number {
  // Index 1 and the name "1" are different columns.
  let high = Math.floor(before / 0x4000000) ^ (typeof segment === 'number' ? 0x5bd1e995 : 0x1b873593)
  let low = before % 0x4000000
  const text = String(segment)
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000193)
    low = Math.imul(low ^ text.charCodeAt(i), 0x85ebca6b)
  }
  return (Math.imul(high, 0x01000193) >>> 6) * 0x4000000 + (Math.imul(low ^ high, 0x85ebca6b) >>> 6)
}

const hashPath = (path: Path) => path.reduce(hashSegment, rootHash)

/** Joins the columns of the slices of one page. */
export function makeColumnUnion() {
  let columns: Column[] = []
  const seen = new Set<number>()
  const ranks = new Set<number>()
  let most = 0
  let lastKey = ''

  return {
    add(slice: SliceColumns) {
      most = Math.max(most, slice.count)
      for (const hash of slice.hashes) if (seen.size < maxCounted) seen.add(hash)
      for (const rank of slice.ranks) ranks.add(rank)
      // Most slices of a page have the same columns as the previous one.
      const key = JSON.stringify(slice.columns)
      if (key === lastKey) return
      lastKey = key
      const byKey = new Map(columns.map((column) => [pathKey(column.path), column]))
      for (const column of slice.columns) {
        const known = byKey.get(pathKey(column.path))
        if (known === undefined || column.rank < known.rank) byKey.set(pathKey(column.path), column)
      }
      columns = [...byKey.values()].sort(compareColumns).slice(0, maxColumns)
      demandBounded(columns)
    },
    survey: (): ColumnSurvey => ({ columns, foundCount: Math.max(seen.size, most), ranks }),
  }
}

/** A field that the query asks for is a column even if no item has it. */
export function addMissingFields({ columns, foundCount, ranks }: ColumnSurvey, asked: readonly Column[]): ColumnSurvey {
  const names = new Set(columns.map(({ path }) => path[0]))
  const missing: Column[] = []
  for (const column of asked) {
    if (ranks.has(column.rank) || names.has(column.path[0])) continue
    names.add(column.path[0])
    missing.push(column)
  }
  const all = [...columns, ...missing].sort(compareColumns)
  return { columns: all.slice(0, maxColumns), foundCount: foundCount + missing.length, ranks }
}

/** A column's name is its path joined by `/`, cut at 200 characters, with `~2`, `~3` … for duplicates. */
export function nameColumns(columns: readonly Column[]): ColumnNames {
  const used = new Set<string>()
  const nextSuffix = new Map<string, number>()
  return columns.map(({ path }) => {
    const whole = path.join('/').toWellFormed()
    let name = cut(whole, maxNameLength)
    if (used.has(name)) {
      const base = name
      let suffix = nextSuffix.get(base) ?? 2
      do name = `${cut(whole, maxNameLength - String(suffix).length - 1)}~${suffix++}`
      while (used.has(name))
      nextSuffix.set(base, suffix)
    }
    used.add(name)
    return name
  })
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text
  // A code point has at most two units, so the rest of a name of megabytes need not be read.
  const points = [...text.slice(0, 2 * length + 2)]
  return points.length <= length ? text : points.slice(0, length).join('')
}
