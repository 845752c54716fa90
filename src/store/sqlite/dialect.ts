/** Kysely's way to Node's own SQLite. */
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
import { noteTablesRead } from '../observed-read.ts'
import { setRunner } from '../prepared.ts'
import type { Db, Schema } from '../schema/schema.ts'
import { makeStatements, type PreparedStatement, readRows } from './statements.ts'

type Prepare = (sql: string) => PreparedStatement

/** `touch` is told the tables that a statement is about to change. */
export function makeSqliteDb(database: DatabaseSync, touch: (tables: readonly string[]) => void = () => {}): Db {
  const statements = makeStatements(database)
  const prepare: Prepare = (sql) => {
    const prepared = statements(sql)
    noteTablesRead(prepared.reads)
    if (prepared.writes.length > 0) touch(prepared.writes)
    return prepared
  }
  const db: Db = new Kysely<Schema>({ dialect: makeDialect(prepare) })
  setRunner(db, (sql, parameters) => readRows(prepare(sql), parameters))
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

function makeConnection(prepare: Prepare): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const prepared = prepare(sql)
      if (prepared.returnsRows) return { rows: readRows<R>(prepared, parameters) }
      const { changes, lastInsertRowid } = prepared.statement.run(...(parameters as SQLInputValue[]))
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
    // biome-ignore lint/correctness/useYield: long reads page by key, they never hold a cursor
    async *streamQuery() {
      throw new Error('Read in pages by key; a cursor would hold the database.')
    },
  }
}
