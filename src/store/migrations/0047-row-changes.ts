/** Which rows of some tables a transaction changed, on PostgreSQL: what is looked up by its key is asked again for its own row alone. */
import type { Ddl } from './ddl.ts'

export const rowChanges = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : postgres)

/**
 * Beside the table's name, `table#key` for each changed row, or `table#*` where they are many: an older server knows the
 * table's name alone. Keys never change.
 */
const postgres = [
  `create function watch_rows(watched text, key text) returns void language plpgsql as $outer$
  begin
    execute format($text$
      create function %1$I() returns trigger language plpgsql as $inner$
      begin
        if tg_op <> 'TRUNCATE' then
          if (select count(*) <= 32 from (select from changed_rows limit 33) few) then
            insert into table_change (xid, name)
              select pg_current_xact_id(), tg_table_name || '#' || %2$I from changed_rows on conflict do nothing;
            return null;
          end if;
        end if;
        insert into table_change (xid, name) values (pg_current_xact_id(), tg_table_name || '#*') on conflict do nothing;
        return null;
      end
      $inner$
      $text$, 'note_rows_of_' || watched, key);
    execute format('create trigger rows_inserted after insert on %1$I referencing new table as changed_rows
      for each statement execute function %2$I()', watched, 'note_rows_of_' || watched);
    execute format('create trigger rows_updated after update on %1$I referencing old table as changed_rows
      for each statement execute function %2$I(%3$L)', watched, 'note_rows_of_' || watched, key);
    execute format('create trigger rows_deleted after delete on %1$I referencing old table as changed_rows
      for each statement execute function %2$I()', watched, 'note_rows_of_' || watched);
    execute format('create trigger rows_truncated after truncate on %1$I
      for each statement execute function %2$I()', watched, 'note_rows_of_' || watched);
  end
  $outer$`,
  // While others hand in, contestants ask for their own.
  `select watch_rows('submission', 'id')`,
  `select watch_rows('submission_source', 'submission_id')`,
]
