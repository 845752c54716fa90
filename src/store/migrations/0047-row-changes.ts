/**
 * Which rows of some tables a transaction changed, on PostgreSQL: cached look-ups by key are repeated only for their
 * own row.
 */
import type { Ddl } from './ddl.ts'

export const rowChanges = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : postgres)

/**
 * Besides the table's name: `table#key` for each changed row, `table#` if there is none, `table#*` if there are many.
 * An older server knows only the table's name.
 */
const postgres = [
  `create function watch_rows(watched text, key text) returns void language plpgsql as $outer$
  declare
    noting text := 'note_rows_of_' || watched;
  begin
    execute format($text$
      create function %1$I() returns trigger language plpgsql set search_path = %2$I, pg_temp as $inner$
      begin
        if tg_nargs > 0 and tg_argv[0] = '*' then
          insert into table_change (xid, name) values (pg_current_xact_id(), tg_table_name || '#*') on conflict do nothing;
        elsif not exists (select from changed_rows) then
          insert into table_change (xid, name) values (pg_current_xact_id(), tg_table_name || '#') on conflict do nothing;
        elsif (select count(*) <= 32 from (select from changed_rows limit 33) few) then
          insert into table_change (xid, name)
            select pg_current_xact_id(), tg_table_name || '#' || %3$I from changed_rows on conflict do nothing;
        else
          insert into table_change (xid, name) values (pg_current_xact_id(), tg_table_name || '#*') on conflict do nothing;
        end if;
        return null;
      end
      $inner$
      $text$, noting, current_schema(), key);
    execute format('create trigger rows_inserted after insert on %I referencing new table as changed_rows
      for each statement execute function %I()', watched, noting);
    execute format('create trigger rows_updated after update on %I referencing old table as changed_rows
      for each statement execute function %I(%L)', watched, noting, key);
    execute format('create trigger rows_deleted after delete on %I referencing old table as changed_rows
      for each statement execute function %I()', watched, noting);
    execute format($text$create trigger rows_rekeyed after update of %I on %I
      for each statement execute function %I('*')$text$, key, watched, noting);
    execute format($text$create trigger rows_truncated after truncate on %I
      for each statement execute function %I('*')$text$, watched, noting);
  end
  $outer$`,
  // While others submit, contestants read their own submissions.
  `select watch_rows('submission', 'id')`,
  `select watch_rows('submission_source', 'submission_id')`,
]
