/** A query that is built once and run many times: building it takes several times as long as SQLite takes to run it. */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema/schema.ts'

type Value = string | number | null | Uint8Array
type Args = Readonly<Record<string, Value>>

/** Stands for an argument while the query is built. */
class Placeholder {
  readonly name: string
  /** The index, if the argument is a list. */
  readonly place: number | undefined
  constructor(name: string, place?: number) {
    this.name = name
    this.place = place
  }
}

/** Runs a statement directly, without Kysely's query-building layers. */
export type Runner = (sql: string, parameters: readonly unknown[]) => unknown[]

const runners = new WeakMap<Db, Runner>()

export const setRunner = (db: Db, runner: Runner): void => {
  runners.set(db, runner)
}

/**
 * `build` is called once with placeholders: use them only as values, and never inspect them. The returned function runs
 * the query on `db`, or on the given transaction.
 */
export function prepareQuery<A extends Args, R>(
  db: Db,
  build: (args: A) => Compilable<R>,
): (args: A, on?: Db) => Promise<R[]> {
  const placeholders = new Proxy({}, { get: (_target, name) => new Placeholder(String(name)) }) as A
  let compiled: CompiledQuery<R> | undefined
  return async (args, on = db) => {
    compiled ??= build(placeholders).compile()
    return runCompiled(compiled, args, on)
  }
}

type ListArgs = Readonly<Record<string, Value | readonly Value[]>>

/** Longer lists are rare, and would fill the memory with as many queries. */
const longestList = 100

/**
 * The same for functions that get the database or a transaction and belong to no store: the query is built once per
 * engine, and per length of the lists among its arguments.
 */
export function prepareFor<A extends ListArgs, R>(
  build: (db: Db, args: A) => Compilable<R>,
): (db: Db, args: A) => Promise<R[]> {
  const byEngine = new WeakMap<object, Map<string, CompiledQuery<R>>>()
  return async (db, args) => {
    const engine = db.getExecutor().adapter.constructor
    const known = byEngine.get(engine) ?? new Map<string, CompiledQuery<R>>()
    byEngine.set(engine, known)
    let lengths = ''
    for (const name in args) {
      const value = args[name]
      if (!Array.isArray(value)) continue
      if (value.length > longestList) return (await db.executeQuery<R>(build(db, args).compile())).rows
      lengths += `${value.length} `
    }
    const compiled = known.get(lengths) ?? build(db, makePlaceholders(args)).compile()
    known.set(lengths, compiled)
    return runCompiled(compiled, args, db)
  }
}

function makePlaceholders<A extends ListArgs>(args: A): A {
  const replace = ([name, value]: [string, ListArgs[string]]) => [
    name,
    Array.isArray(value) ? value.map((_, place) => new Placeholder(name, place)) : new Placeholder(name),
  ]
  return Object.fromEntries(Object.entries(args).map(replace))
}

async function runCompiled<R>(compiled: CompiledQuery<R>, args: ListArgs, on: Db): Promise<R[]> {
  const fill = ({ name, place }: Placeholder) =>
    place === undefined ? args[name] : (args[name] as readonly Value[])[place]
  const parameters = compiled.parameters.map((value) => (value instanceof Placeholder ? fill(value) : value))
  const run = runners.get(on)
  if (run) return run(compiled.sql, parameters) as R[]
  return (await on.executeQuery<R>({ ...compiled, parameters })).rows
}
