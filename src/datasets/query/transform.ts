/**
 * Turns one stored item into records, in the one order that is promised: hidden fields go, then unwind, flatten, fields,
 * omit, the new names, and last the empty records. Pure: the page has been picked before.
 */
import { Fields, type Value } from '../items/value.ts'
import type { Transformation } from './item-query.ts'

/** One output row. `ranks` gives each field its place in the query's `fields`, where that is given. */
export type Row = { readonly fields: Fields; readonly ranks: readonly number[] | null }

export type Transform = (item: Fields) => Iterable<Row>

/** `origins` are the top-level names a field grew from when it was unwound or flattened. */
type Entry = { readonly name: string; readonly value: Value; readonly origins: readonly string[] }

/** Whether items can be written without being taken apart, save for hidden fields and empty items. */
export const keepsItems = (query: Transformation): boolean =>
  query.unwind.length === 0 &&
  query.flatten.length === 0 &&
  query.fields === null &&
  query.omit.length === 0 &&
  !query.skipFailedPages

export function makeTransform(query: Transformation): Transform {
  const pick = query.fields === null ? null : makePick(query.fields, query.outputFields, new Set(query.omit))
  const omitted = new Set(query.omit)
  return function* (item) {
    if (query.skipFailedPages && item.indexOf('errorInfo') >= 0) return
    for (const unwound of unwindAll(enter(item, query.skipHidden), query.unwind)) {
      const record = query.flatten.reduce(flatten, unwound)
      const row = pick ? pick(record) : leave(omit(record, omitted))
      if (!query.skipEmpty || row.fields.size > 0) yield row
    }
  }
}

function enter({ names, values }: Fields, skipHidden: boolean): Entry[] {
  const entries: Entry[] = []
  for (let i = 0; i < names.length; i++)
    if (!skipHidden || !names[i]!.startsWith('#')) entries.push({ name: names[i]!, value: values[i]!, origins: [] })
  return entries
}

function leave(entries: readonly Entry[]): Row {
  const fields = new Fields()
  for (const { name, value } of entries) fields.add(name, value)
  return { fields, ranks: null }
}

/** One record at a time: an array may have millions of elements. */
function* unwindAll(record: Entry[], names: readonly string[]): Generator<Entry[]> {
  const [name, ...rest] = names
  if (name === undefined) yield record
  else for (const each of unwind(record, name)) yield* unwindAll(each, rest)
}

function* unwind(record: Entry[], name: string): Generator<Entry[]> {
  const place = record.findIndex((entry) => entry.name === name)
  const entry = record[place]
  const value = entry?.value
  if (value instanceof Fields) yield mergeOver(record, place, value)
  else if (entry === undefined || !Array.isArray(value) || value.length === 0) yield record
  else
    for (const element of value)
      yield element instanceof Fields
        ? mergeOver(record, place, element)
        : record.with(place, { ...entry, value: element })
}

/** The parent without the unwound field, the element's fields over it: where both have a name, the element's value wins. */
function mergeOver(record: readonly Entry[], place: number, element: Fields): Entry[] {
  const { name, origins } = record[place]!
  const grown = [name, ...origins]
  const added = element.names.map((key, i) => ({ name: key, value: element.values[i]!, origins: grown }))
  return joinEntries(record.toSpliced(place, 1), added)
}

/** A later entry of the same name takes the place of the earlier one. */
function joinEntries(...lists: readonly (readonly Entry[])[]): Entry[] {
  const byName = new Map<string, Entry>()
  for (const list of lists) for (const entry of list) byName.set(entry.name, entry)
  return [...byName.values()]
}

function flatten(record: Entry[], name: string): Entry[] {
  const place = record.findIndex((entry) => entry.name === name)
  const entry = record[place]
  if (entry === undefined || !isBranch(entry.value)) return record
  const leaves: Entry[] = []
  gatherLeaves(entry.name, entry.value, [name, ...entry.origins], leaves)
  return joinEntries(record.slice(0, place), leaves, record.slice(place + 1))
}

const isBranch = (value: Value): value is Fields | Value[] =>
  value instanceof Fields ? value.size > 0 : Array.isArray(value) && value.length > 0

function gatherLeaves(path: string, value: Value, origins: readonly string[], leaves: Entry[]) {
  if (!isBranch(value)) leaves.push({ name: path, value, origins })
  else if (Array.isArray(value))
    for (const [i, element] of value.entries()) gatherLeaves(`${path}.${i}`, element, origins, leaves)
  else for (const [i, name] of value.names.entries()) gatherLeaves(`${path}.${name}`, value.values[i]!, origins, leaves)
}

function omit(record: Entry[], omitted: ReadonlySet<string>): Entry[] {
  if (omitted.size === 0) return record
  return record.filter((entry) => !isCovered(entry, omitted))
}

const isCovered = (entry: Entry, names: ReadonlySet<string>) =>
  names.has(entry.name) || entry.origins.some((origin) => names.has(origin))

/** Fields named in the query, or grown from one named there, in its order and under their new names. */
function makePick(
  fields: readonly string[],
  outputFields: readonly string[] | null,
  omitted: ReadonlySet<string>,
): (record: readonly Entry[]) => Row {
  const rankOf = new Map<string, number>()
  fields.forEach((name, rank) => {
    if (!rankOf.has(name)) rankOf.set(name, rank)
  })
  const findRank = (entry: Entry) =>
    rankOf.get(entry.name) ?? Math.min(...entry.origins.map((origin) => rankOf.get(origin) ?? Number.POSITIVE_INFINITY))
  return (record) => {
    const kept = record
      .filter((entry) => !isCovered(entry, omitted))
      .map((entry) => ({ entry, rank: findRank(entry) }))
      .filter(({ rank }) => rank !== Number.POSITIVE_INFINITY)
      .sort((a, b) => a.rank - b.rank)
    const byName = new Map<string, { value: Value; rank: number }>()
    for (const { entry, rank } of kept) {
      const name = outputFields ? rename(entry.name, fields[rank]!, outputFields[rank]!) : entry.name
      byName.set(name, { value: entry.value, rank })
    }
    const picked = new Fields()
    const ranks: number[] = []
    for (const [name, { value, rank }] of byName) {
      picked.add(name, value)
      ranks.push(rank)
    }
    return { fields: picked, ranks }
  }
}

/** `foo` and what flattening grew from it (`foo.bar`) take the new name; what unwinding brought keeps its own. */
function rename(name: string, field: string, outputField: string): string {
  if (name === field) return outputField
  return name.startsWith(`${field}.`) ? outputField + name.slice(field.length) : name
}
