/**
 * Transforms one stored item into records, in the order that the contract promises: hidden fields are removed, then
 * unwind, flatten, fields, omit, renaming, and last empty records are removed. Pure: the page was picked before.
 */
import { Failure } from '../../lib/failure.ts'
import { isBranch, type Members, readMembers } from '../items/json-text.ts'
import { JsonTree } from '../items/json-tree.ts'
import type { Transformation } from './item-query.ts'
import { demandUnwindable, type Entry, joinEntries, unwindAll } from './unwind.ts'

/** One record. `ranks`: each field's index in the query's `fields`, if given. */
export type Row = Members & { readonly ranks: readonly number[] | null }

/** Yields the item's records after the first `done`; null stands for a record left out because it is empty. */
export type Transform = (item: string, done: number) => Iterable<Row | null>

/** The work of making records, in fields read. */
export type Work = { steps: number }

/** Whether items can be written without being parsed, except for hidden fields and empty items. */
export const keepsItems = (query: Transformation): boolean =>
  query.unwind.length === 0 &&
  query.flatten.length === 0 &&
  query.fields === null &&
  query.omit.length === 0 &&
  !query.skipFailedPages

export function makeTransform(query: Transformation, work: Work): Transform {
  const pick = query.fields === null ? null : makePick(query.fields, query.outputFields, new Set(query.omit))
  const omitted = new Set(query.omit)
  return function* (item, done) {
    const members = readMembers(item)
    if (query.skipFailedPages && members.names.includes('errorInfo')) return
    const whole = enter(members, query.skipHidden)
    if (done === 0) demandUnwindable(whole, query.unwind, item.length)
    const walk = { left: done, steps: 0 }
    let before: number | undefined
    for (const unwound of unwindAll(whole, query.unwind, walk)) {
      // Skipping is not counted, so that each part makes progress.
      work.steps += before === undefined ? 0 : walk.steps - before
      before = walk.steps
      const growth = makeGrowth()
      const record = flattenAll(unwound, query.flatten, growth, work)
      const row = pick ? pick(record, growth) : leave(omit(record, omitted))
      yield query.skipEmpty && row.names.length === 0 ? null : row
    }
  }
}

/**
 * The growth of one record, counting 64 bytes for each field: a path may repeat a name of a megabyte for each of a
 * million elements.
 */
const maxGrowth = 32 * 1024 * 1024

type Growth = (name: string, text: string) => void

function makeGrowth(): Growth {
  let grown = 0
  return (name, text) => {
    grown += name.length + text.length + 64
    if (grown > maxGrowth) throw tooLarge()
  }
}

const tooLarge = () =>
  new Failure(
    'invalid',
    'invalid-value',
    'An item has too many or too long fields to be flattened: name a smaller part of it in flatten, or leave flatten out.',
  )

const noOrigins: readonly string[] = []

function enter({ names, texts }: Members, skipHidden: boolean): Entry[] {
  const entries: Entry[] = []
  for (let i = 0; i < names.length; i++)
    if (!skipHidden || !names[i]!.startsWith('#'))
      entries.push({ name: names[i]!, text: texts[i]!, origins: noOrigins })
  return entries
}

const leave = (entries: readonly Entry[]): Row => ({
  names: entries.map(({ name }) => name),
  texts: entries.map(({ text }) => text),
  ranks: null,
})

/** A record is copied for each flattened field: this bounds its copied fields, about a second of a thread. */
const maxCopied = 10_000_000

function flattenAll(unwound: Entry[], names: readonly string[], growth: Growth, work: Work): Entry[] {
  let [record, copied] = [unwound, 0]
  for (const name of names) {
    const flat = flatten(record, name, growth)
    if (flat !== record) copied += flat.length
    if (copied > maxCopied) throw tooLarge()
    work.steps += flat.length
    record = flat
  }
  return record
}

function flatten(record: Entry[], name: string, growth: Growth): Entry[] {
  const place = record.findIndex((entry) => entry.name === name)
  const entry = record[place]
  if (entry === undefined || !isBranch(entry.text)) return record
  const leaves: Entry[] = []
  const origins = [name, ...entry.origins]
  const tree = new JsonTree(entry.text)
  const gather = (path: string, at: number) => {
    if (tree.isBranch(at)) {
      eachChild(tree, at, (segment, child) => gather(`${path}.${segment}`, child))
      return
    }
    const text = tree.slice(at)
    growth(path, text)
    leaves.push({ name: path, text, origins })
  }
  gather(name, 0)
  return joinEntries(record.slice(0, place), leaves, record.slice(place + 1))
}

function eachChild(tree: JsonTree, branch: number, act: (segment: string | number, at: number) => void) {
  if (tree.isArray(branch)) {
    let index = 0
    for (const element of tree.elements(branch)) act(index++, element)
  } else {
    const { names, starts } = tree.members(branch)
    for (let i = 0; i < names.length; i++) act(names[i]!, starts[i]!)
  }
}

function omit(record: Entry[], omitted: ReadonlySet<string>): Entry[] {
  if (omitted.size === 0) return record
  return record.filter((entry) => !isCovered(entry, omitted))
}

const isCovered = (entry: Entry, names: ReadonlySet<string>) =>
  names.has(entry.name) || entry.origins.some((origin) => names.has(origin))

/**
 * Picks the fields that the query names, and those unwound or flattened from them, in the query's order and under their
 * new names.
 */
function makePick(
  fields: readonly string[],
  outputFields: readonly string[] | null,
  omitted: ReadonlySet<string>,
): (record: readonly Entry[], growth: Growth) => Row {
  const rankOf = new Map<string, number>()
  fields.forEach((name, rank) => {
    if (!rankOf.has(name)) rankOf.set(name, rank)
  })
  const findRank = (entry: Entry) =>
    rankOf.get(entry.name) ?? Math.min(...entry.origins.map((origin) => rankOf.get(origin) ?? Number.POSITIVE_INFINITY))
  return (record, growth) => {
    const kept = record
      .filter((entry) => !isCovered(entry, omitted))
      .map((entry) => ({ entry, rank: findRank(entry) }))
      .filter(({ rank }) => rank !== Number.POSITIVE_INFINITY)
      .sort((a, b) => a.rank - b.rank)
    const byName = new Map<string, { text: string; rank: number }>()
    for (const { entry, rank } of kept) {
      const name = outputFields ? rename(entry.name, fields[rank]!, outputFields[rank]!) : entry.name
      if (name !== entry.name) growth(name, entry.text)
      byName.set(name, { text: entry.text, rank })
    }
    const picked = [...byName.values()]
    return {
      names: [...byName.keys()],
      texts: picked.map(({ text }) => text),
      ranks: picked.map(({ rank }) => rank),
    }
  }
}

/** `foo` and the fields flattened from it (`foo.bar`) get the new name; unwound fields keep their own. */
function rename(name: string, field: string, outputField: string): string {
  if (name === field) return outputField
  return name.startsWith(`${field}.`) ? outputField + name.slice(field.length) : name
}
