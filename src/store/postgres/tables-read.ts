/** What a statement reads: the words of its text that are names of tables. Too many do no harm. */
import type pg from 'pg'
import { unwatchedTable } from '../observed-read.ts'

export type StatementFacts = {
  readonly tables: readonly string[]
  /** It reads, and does nothing else: it can be run again to see whether it still answers the same. */
  readonly isPlainRead: boolean
}
export type TablesRead = (statement: string) => StatementFacts

export const unknownStatement: StatementFacts = { tables: [unwatchedTable], isPlainRead: false }

const beginning = /^\s*(select|with)\b/i
/** Functions of PostgreSQL's own that lock, notify or count begin with `pg_`, or have these names. */
const doing =
  /\b(insert|update|delete|merge|into|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share|pg_\w+|nextval|setval|set_config|now|random|clock_timestamp)\b/i

/** Lists of other lengths make other texts: what is asked again soon is found again soon. */
const maxStatements = 2_000
const maxLength = 20_000

/** Views, functions and sequences read what their name does not say, and an unlogged table has no trigger. */
const relations = `select c.relname as name, t.oid is not null as is_watched
  from pg_class c left join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'table_changed' and t.tgenabled <> 'D'
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select c.relname, false from pg_class c where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind in ('r', 'v')
  union all
  select p.proname, false from pg_proc p
  where p.pronamespace = current_schema()::regnamespace and p.prorettype <> 'trigger'::regtype`

export async function makeTablesRead(database: Pick<pg.Pool, 'query'>): Promise<TablesRead> {
  const { rows }: { rows: { name: string; is_watched: boolean }[] } = await database.query(relations)
  const isWatched = new Map(rows.map(({ name, is_watched }) => [name, is_watched]))
  let known = new Map<string, StatementFacts>()

  function find(statement: string): StatementFacts {
    const tables = new Set<string>()
    for (const word of statement.toLowerCase().match(/\w+/g) ?? []) {
      const watched = isWatched.get(word)
      if (watched !== undefined) tables.add(watched ? word : unwatchedTable)
    }
    return { tables: [...tables], isPlainRead: beginning.test(statement) && !doing.test(statement) }
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
