/**
 * Unwinds a record field by field: each element of an array becomes a record. The arrays of one small item may
 * multiply, so the steps are counted, and an item that takes too many is refused.
 */
import { Failure } from '../../lib/failure.ts'
import { isArray, isBranch, isObject, readElements, readMembers } from '../items/json-text.ts'

/** `origins`: the top-level names that a field was unwound or flattened from. */
export type Entry = { readonly name: string; readonly text: string; readonly origins: readonly string[] }

/**
 * Fields read and elements passed for one item. A single array that fills an item of 9 MB takes 5 million for each
 * field beside it and each name; 10 million take about a second of a thread.
 */
const maxSteps = 50_000_000

/** The state of a walk over one item. */
export type UnwindWalk = {
  /** Records still to be skipped. */
  left: number
  /** All steps of the walk. */
  steps: number
}

/** Throws if unwinding the item would take too much, before its first record is made. */
export function demandUnwindable(record: Entry[], names: readonly string[], bytes: number): void {
  const [records, fields] = [(bytes / 2) ** names.length, names.length === 1 ? record.length : bytes / 4]
  if (records * (fields + 1) * (names.length + 1) <= maxSteps) return
  // Skipped records are counted, and not made.
  for (const _ of unwindAll(record, names, { left: Number.POSITIVE_INFINITY, steps: 0 }));
}

/** An array being walked; `rank`: the index of the name to look for in each element. */
type Level = {
  readonly record: Entry[]
  readonly place: number
  readonly elements: Iterator<string>
  readonly rank: number
}

/** Yields one record at a time, since an array may have millions of elements. */
export function* unwindAll(record: Entry[], names: readonly string[], walk: UnwindWalk): Generator<Entry[]> {
  const levels: Level[] = []
  const measure = makeMeasure()

  /** Enters the record's next array. Answers true if there is none left and the record is wanted. */
  function isReached(next: Entry[], rank: number): boolean {
    const level = enter(next, names, rank, walk)
    if (level === null) return walk.left-- <= 0
    if (level.rank === names.length && walk.left > 0 && skipWhole(level)) return false
    levels.push(level)
    return false
  }

  /** An array without wanted elements is not walked again for each record around it. */
  function skipWhole({ record: around, place }: Level): boolean {
    const { count, weight } = measure(around[place]!.text)
    if (count > walk.left) return false
    countSteps(walk, count * (1 + around.length) + weight)
    walk.left -= count
    return true
  }

  if (isReached(record, 0)) yield record
  while (levels.length > 0) {
    const level = levels.at(-1)!
    const { value: text, done } = level.elements.next()
    if (done) {
      levels.pop()
      continue
    }
    countSteps(walk, 1 + level.record.length + weigh(text))
    // A skipped record is not merged first, so that resuming in the middle of a long array is fast.
    if (level.rank === names.length && walk.left > 0) {
      walk.left--
      continue
    }
    const unwound = replace(level.record, level.place, text)
    if (isReached(unwound, level.rank)) yield unwound
  }
}

/** The extra cost of reading an element. */
const weigh = (text: string) => text.length >> 4

/** Measures an array. Caches the last one, which is usually asked for again. */
function makeMeasure() {
  let last = { text: '', count: 0, weight: 0 }
  return (text: string) => {
    if (last.text === text) return last
    let [count, weight] = [0, 0]
    for (const element of elementsOf(text)) {
      count++
      weight += weigh(element)
    }
    last = { text, count, weight }
    return last
  }
}

/** An object is unwound like an array of one. */
const elementsOf = (text: string): IterableIterator<string> => (isArray(text) ? readElements(text) : [text].values())

/** The first name, from a rank on, whose field exists and can be unwound; null if none. */
function enter(record: Entry[], names: readonly string[], from: number, walk: UnwindWalk): Level | null {
  for (let rank = from; rank < names.length; rank++) {
    countSteps(walk, 1 + record.length)
    const place = record.findIndex(({ name }) => name === names[rank])
    const text = record[place]?.text ?? ''
    if (isObject(text) || isBranch(text)) return { record, place, elements: elementsOf(text), rank: rank + 1 }
  }
  return null
}

function countSteps(walk: UnwindWalk, steps: number): void {
  walk.steps += steps
  if (walk.steps > maxSteps)
    throw new Failure(
      'invalid',
      'invalid-value',
      'An item would be unwound into too many records: name fewer arrays in unwind, or leave unwind out.',
    )
}

/** An element's fields are merged over the parent without the unwound field; for a shared name the element's wins. */
function replace(record: Entry[], place: number, text: string): Entry[] {
  const entry = record[place]!
  if (!isObject(text)) return record.with(place, { ...entry, text })
  const grown = [entry.name, ...entry.origins]
  const { names, texts } = readMembers(text)
  const added = names.map((name, i) => ({ name, text: texts[i]!, origins: grown }))
  return joinEntries(record.toSpliced(place, 1), added)
}

/** A later entry replaces an earlier one of the same name. */
export function joinEntries(...lists: readonly (readonly Entry[])[]): Entry[] {
  const byName = new Map<string, Entry>()
  for (const list of lists) for (const entry of list) byName.set(entry.name, entry)
  return [...byName.values()]
}
