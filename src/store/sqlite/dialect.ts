/** Kysely's way to Node's own SQLite: statements are prepared once and kept. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { setRunner } from '../prepared.ts'
import type { Db, Schema } from '../schema/schema.ts'

/** Queries are few and fixed; lists of unknown length (`in (…)`) make the odd extra one. */
const maxPrepared = 1_000

export function makeSqliteDb(database: DatabaseSync): Db {
  const prepare = makeStatements(database)
  const db: Db = new Kysely<Schema>({ dialect: makeDialect(prepare) })
  setRunner(db, (sql, parameters) => prepare(sql).statement.all(...(parameters as SQLInputValue[])))
  return db
}

function makeDialect(prepare: Prepare): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => makeDriver(prepare),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function makeDriver(prepare: Prepare): Driver {
  const connection = makeConnection(prepare)
  const refuse = async () => {
    throw new Error('Transactions are made by store.write.')
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  }
}

type Prepared = { readonly statement: StatementSync; readonly returnsRows: boolean }
type Prepare = (sql: string) => Prepared

function makeStatements(database: DatabaseSync): Prepare {
  const prepared = new Map<string, Prepared>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    const fresh = { statement, returnsRows: statement.columns().length > 0 }
    if (prepared.size >= maxPrepared) prepared.delete(prepared.keys().next().value!)
    prepared.set(sql, fresh)
    return fresh
  }
}

function makeConnection(prepare: Prepare): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { statement, returnsRows } = prepare(sql)
      const values = parameters as SQLInputValue[]
      if (returnsRows) return { rows: statement.all(...values) as R[] }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
    // biome-ignore lint/correctness/useYield: long reads page by key, they never hold a cursor
    async *streamQuery() {
      throw new Error('Read in pages by key; a cursor would hold the database.')
    },
  }
}
