/** A query that is built once and run many times: building one anew costs several times what SQLite takes to answer it. */
import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './schema/schema.ts'

type Value = string | number | null | Uint8Array
type Args = Readonly<Record<string, Value>>

/** Stands where an argument will be, while the query is built. */
class Mark {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Runs a statement at once, past the layers that Kysely has for building one. */
export type Runner = (sql: string, parameters: readonly unknown[]) => unknown[]

const runners = new WeakMap<Db, Runner>()

export const setRunner = (db: Db, runner: Runner): void => {
  runners.set(db, runner)
}

/**
 * `build` is called once with placeholders: use them only as values, never look into them. The answer runs the query on
 * `db`, or on the transaction it is given.
 */
export function prepareQuery<A extends Args, R>(
  db: Db,
  build: (args: A) => Compilable<R>,
): (args: A, on?: Db) => Promise<R[]> {
  const marks = new Proxy({}, { get: (_target, name) => new Mark(String(name)) }) as A
  let compiled: CompiledQuery<R> | undefined
  return async (args, on = db) => {
    compiled ??= build(marks).compile()
    const parameters = compiled.parameters.map((value) => (value instanceof Mark ? args[value.name] : value))
    const run = runners.get(on)
    if (run) return run(compiled.sql, parameters) as R[]
    return (await on.executeQuery<R>({ ...compiled, parameters })).rows
  }
}
