/** Kysely's dialect for Node's own SQLite. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
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
import { makeStatements, readRows } from './statements.ts'

type Run = <R>(sql: string, parameters: readonly unknown[]) => QueryResult<R>

/** `touch` is called with the tables that a statement is about to change. */
export function makeSqliteDb(database: DatabaseSync, touch: (tables: readonly string[]) => void = () => {}): Db {
  const statements = makeStatements(database)
  return makeDb((sql, parameters) => {
    const prepared = statements(sql)
    if (prepared.writes.length > 0) touch(prepared.writes)
    if (prepared.returnsRows) return { rows: readRows(prepared, parameters) }
    const { changes, lastInsertRowid } = prepared.statement.run(...(parameters as SQLInputValue[]))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  })
}

function makeDb(run: Run): Db {
  const db: Db = new Kysely<Schema>({ dialect: makeDialect(run) })
  setRunner(db, (sql, parameters) => run(sql, parameters).rows)
  return db
}

function makeDialect(run: Run): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => makeDriver(run),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function makeDriver(run: Run): Driver {
  const connection = makeConnection(run)
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

function makeConnection(run: Run): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      return run<R>(sql, parameters)
    },
    // biome-ignore lint/correctness/useYield: long reads page by key, they never hold a cursor
    async *streamQuery() {
      throw new Error('Read in pages by key; a cursor would hold the database.')
    },
  }
}
