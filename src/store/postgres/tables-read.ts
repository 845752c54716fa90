/**
 * What a statement reads: the words of its text that are names of tables. Too many do no harm. Of tables whose rows are
 * watched one by one, what is looked up by its key reads one row.
 */
import type pg from 'pg'
import { unwatchedTable } from '../observed-read.ts'

export type StatementFacts = {
  readonly tables: readonly string[]
  /** Of these tables it reads no other row than the one whose key is the value in this place. */
  readonly rowOf?: { readonly tables: readonly string[]; readonly place: number }
  /** It reads, and does nothing else: it can be run again to see whether it still answers the same. */
  readonly isPlainRead: boolean
}
export type TablesRead = (statement: string) => StatementFacts

export const unknownStatement: StatementFacts = { tables: [unwatchedTable], isPlainRead: false }

/** The tables, and of some the row alone, as changes are noted: `table#key`. */
export function nameWhatIsRead({ tables, rowOf }: StatementFacts, values: readonly unknown[]): readonly string[] {
  if (!rowOf) return tables
  const key = values[rowOf.place]
  // Of another type it might be another text for the same key.
  return Number.isInteger(key)
    ? [...tables, ...rowOf.tables.map((name) => `${name}#${key}`)]
    : [...tables, ...rowOf.tables]
}

/** One table by one of its columns, without a subquery, joined to others by columns. */
const lookUp =
  /^select (?:(?!\bfrom\b)[^()])* from "(\w+)"((?: (?:inner|left) join "\w+" on "\w+"\."\w+" = "\w+"\."\w+")*) where "(\w+)"\."(\w+)" = \$(\d+)$/i
const joined = /join "(\w+)" on "(\w+)"\."(\w+)" = "(\w+)"\."(\w+)"/g

const beginning = /^\s*(select|with)\b/i
/** Functions of PostgreSQL's own that lock, notify or count begin with `pg_`, or have these names. */
const doing =
  /\b(insert|update|delete|merge|into|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share|pg_\w+|nextval|setval|set_config|now|random|clock_timestamp)\b/i

/** Lists of other lengths make other texts: what is asked again soon is found again soon. */
const maxStatements = 2_000
const maxLength = 20_000

/** Views, functions and sequences read what their name does not say, and an unlogged table has no trigger. */
const relations = `select c.relname as name, t.oid is not null as is_watched,
    split_part(encode(r.tgargs, 'escape'), '\\000', 1) as key
  from pg_class c left join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'table_changed' and t.tgenabled <> 'D'
  left join pg_trigger r on r.tgrelid = c.oid and r.tgname = 'rows_updated' and r.tgenabled <> 'D'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select c.relname, false, null from pg_class c where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind in ('r', 'v')
  union all
  select p.proname, false, null from pg_proc p
  where p.pronamespace = current_schema()::regnamespace and p.prorettype <> 'trigger'::regtype`

export async function makeTablesRead(database: Pick<pg.Pool, 'query'>): Promise<TablesRead> {
  type Relation = { name: string; is_watched: boolean; key: string | null }
  const { rows }: { rows: Relation[] } = await database.query(relations)
  const isWatched = new Map(rows.map(({ name, is_watched }) => [name, is_watched]))
  const keys = new Map(rows.flatMap(({ name, key }) => (key ? [[name, key]] : [])))
  let known = new Map<string, StatementFacts>()

  function find(statement: string): StatementFacts {
    const tables = new Set<string>()
    for (const word of statement.toLowerCase().match(/\w+/g) ?? []) {
      const watched = isWatched.get(word)
      if (watched !== undefined) tables.add(watched ? word : unwatchedTable)
    }
    const rowOf = findRow(statement)
    for (const name of rowOf?.tables ?? []) tables.delete(name)
    const isPlainRead = beginning.test(statement) && !doing.test(statement)
    return { tables: [...tables], ...(rowOf && { rowOf }), isPlainRead }
  }

  function findRow(statement: string): StatementFacts['rowOf'] {
    const [, table, joins, conditionOn, column, place] = lookUp.exec(statement) ?? []
    if (table === undefined || conditionOn !== table || keys.get(table) !== column) return undefined
    const isKey = (name: string | undefined, key: string | undefined) => keys.get(name!) === key && key !== undefined
    const tables = [table]
    for (const [, other, one, oneColumn, another, anotherColumn] of joins!.matchAll(joined)) {
      if (other === one && isKey(one, oneColumn) && another === table && anotherColumn === column) tables.push(other!)
    }
    return { tables, place: Number(place) - 1 }
  }

  return (statement) => {
    const found = known.get(statement)
    if (found) return found
    const facts = find(statement)
    if (known.size >= maxStatements) known = new Map()
    if (statement.length <= maxLength) known.set(statement, facts)
    return facts
  }
}
