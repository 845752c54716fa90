/**
 * No code reads any more which transaction changed what: drops the triggers that recorded it, with their functions and
 * table.
 */
import type { Ddl } from './ddl.ts'

export const noTableChanges = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : postgres)

/** Dropping a function also drops the triggers that call it. */
const postgres = [
  'drop function note_table_change() cascade',
  'drop function note_rows_of_submission() cascade',
  'drop function note_rows_of_submission_source() cascade',
  'drop function watch_tables()',
  'drop function watch_rows(text, text)',
  'drop table table_change',
]
