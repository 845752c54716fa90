/** The rows of a PostgreSQL database: read at one moment while all servers go on, and loaded into an empty database. */
import pg from 'pg'
import { OperatorError } from '../../lib/failure.ts'
import {
  type DumpSource,
  type DumpTable,
  isDumped,
  listColumns,
  orderByReference,
  quoteName,
  readColumnType,
  type Snapshot,
  selectRows,
} from '../dump/dump.ts'
import { joinRows, narrowRows } from '../dump/rows.ts'
import { migrate } from '../migrations/migrations.ts'
import { copyIn, copyOut } from './copy.ts'
import { lockSchema, makePostgresPort, unusable } from './postgres.ts'

export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connect(url)
  try {
    await client.query('begin isolation level repeatable read read only')
    const tables = await describeTables(client)
    const { rows } = await client.query('select max(number)::int as schema from schema_migration')
    const head = { engine: 'postgres', schema: rows[0].schema, tables, sequences: await readSequences(client) } as const
    const narrow = await findNarrow(client)
    return {
      head,
      rows: (table) => {
        const wide = table.columns.map(({ name }) => quoteName(name) + (narrow(table).has(name) ? '::bigint' : ''))
        return joinRows(copyOut(client, `copy (${selectRows(table, wide.join(', '))}) to stdout with (format binary)`))
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Refuses a database that is not empty. */
export async function demandEmptyPostgres(url: string): Promise<void> {
  const client = await connect(url)
  try {
    await demandEmpty(client)
  } finally {
    await client.end()
  }
}

/** The id of the database's installation, if it has one. */
export async function readPostgresId(url: string): Promise<string | undefined> {
  const client = await connect(url)
  try {
    const { rows } = await client.query("select to_regclass('installation') is not null as is_there")
    if (!rows[0].is_there) return undefined
    return (await client.query('select id from installation')).rows[0]?.id
  } finally {
    await client.end()
  }
}

/** Loads everything or nothing: `place` is called before the commit, and if it fails nothing is loaded. */
export async function loadDump(url: string, source: DumpSource, place: () => Promise<void>): Promise<void> {
  const client = await connect(url)
  try {
    await client.query('begin')
    await lockSchema(client)
    await demandEmpty(client)
    const port = makePostgresPort(client)
    await migrate(port, source.head.schema)
    const known = (await describeTables(client)).map(({ name }) => name)
    for (const name of known) {
      await client.query(`alter table ${quoteName(name)} disable trigger user`)
      await client.query(`delete from ${quoteName(name)}`)
    }
    // In our own order, not the archive's: the other engine may order tables differently.
    const tables = known.flatMap((name) => source.head.tables.filter((table) => table.name === name))
    if (tables.length < source.head.tables.length) throw new OperatorError('The backup has tables that are not known.')
    const narrow = await findNarrow(client)
    for (const table of tables) {
      const into = `copy ${quoteName(table.name)} (${listColumns(table)}) from stdin with (format binary)`
      const rows = source.rows(table)
      await copyIn(client, into, narrow(table).size > 0 ? narrowRows(rows, table, narrow(table)) : rows)
    }
    for (const name of known) await client.query(`alter table ${quoteName(name)} enable trigger user`)
    await setSequences(client, source.head.sequences)
    await migrate(port)
    await place()
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true })
  // An error that breaks the connection also fails its query.
  client.on('error', () => {})
  try {
    await client.connect()
    // Lifts any limits of the role: a large table may take any time, on both sides.
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    return client
  } catch (error) {
    throw unusable(url, error)
  }
}

async function demandEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    "select 1 from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v') limit 1",
  )
  if (rows.length > 0) throw new OperatorError('The database of DATABASE_URL is not empty: create a new one for it.')
}

/** Leaves out unlogged tables: counters that a crash may empty. */
async function describeTables(client: pg.Client): Promise<DumpTable[]> {
  const columns = await client.query(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attnum`,
  )
  const references = await client.query(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
  )
  const rows: { table: string; name: string; type: string }[] = columns.rows
  const names = [...new Set(rows.map(({ table }) => table))].filter(isDumped)
  return orderByReference(names, references.rows).map((name) => ({
    name,
    columns: rows
      .filter(({ table }) => table === name)
      .map((column) => ({ name: column.name, type: readColumnType(name, column.name, column.type) })),
  }))
}

/** Columns with 32 bits, for which a dump has 64. */
async function findNarrow(client: pg.Client): Promise<(table: DumpTable) => ReadonlySet<string>> {
  const { rows }: { rows: { table: string; name: string }[] } = await client.query(
    `select c.relname as table, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.atttypid = 'int4'::regtype
       and a.attnum > 0 and not a.attisdropped`,
  )
  return (table) => new Set(rows.filter((row) => row.table === table.name).map(({ name }) => name))
}

const sequencesOf = `select c.relname as table, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attidentity <> ''`

async function readSequences(client: pg.Client): Promise<Record<string, number>> {
  const sequences: Record<string, number> = {}
  for (const { table, sequence } of (await client.query(sequencesOf)).rows) {
    const { rows } = await client.query(`select last_value::text as last, is_called from ${sequence}`)
    if (rows[0].is_called) sequences[table] = Number(rows[0].last)
  }
  return sequences
}

async function setSequences(client: pg.Client, sequences: Readonly<Record<string, number>>): Promise<void> {
  for (const { table, sequence } of (await client.query(sequencesOf)).rows) {
    const last = sequences[table]
    if (last) await client.query('select setval($1::regclass, $2)', [sequence, last])
  }
}
