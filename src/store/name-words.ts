/** Words that somebody looks for in names and titles: each is a part of it, whatever its case. */
import { type SqlBool, sql } from 'kysely'

/** Nothing in the word has a meaning of its own. */
const toPattern = (word: string): string => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

/** Of one column, or of the first of these that is not null. */
export const hasPart = (columns: string | readonly string[], word: string) => {
  const refs = [columns].flat().map((column) => sql.ref(column))
  return sql<SqlBool>`lower(coalesce(${sql.join(refs)}, '')) like ${toPattern(word)} escape '\\'`
}
