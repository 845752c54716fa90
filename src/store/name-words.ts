/** Searches names and titles for words: each must be a part of it, ignoring case. */
import { type SqlBool, sql } from 'kysely'

/** Escapes special characters in the word. */
const toPattern = (word: string): string => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

/** In one column, or in the first of these that is not null. */
export const hasPart = (columns: string | readonly string[], word: string) => {
  const refs = [columns].flat().map((column) => sql.ref(column))
  return sql<SqlBool>`lower(coalesce(${sql.join(refs)}, '')) like ${toPattern(word)} escape '\\'`
}
