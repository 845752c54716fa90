/**
 * Which transaction changed which tables, on PostgreSQL: servers that share the database read it to learn of others'
 * commits.
 */
import type { Ddl } from './ddl.ts'

export const tableChanges = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : postgres)

/**
 * Triggers record the changes, not our code, so those of cascades, other triggers, older servers and `psql` count as
 * well. The table is unlogged: after a crash every server reads over a new connection, and considers everything
 * changed.
 */
const postgres = [
  `create unlogged table table_change (
    xid xid8 not null,
    name text not null,
    primary key (xid, name)
  )`,
  `create function note_table_change() returns trigger language plpgsql as $$
  begin
    insert into table_change (xid, name) values (pg_current_xact_id(), tg_table_name) on conflict do nothing;
    return null;
  end
  $$`,
  // Called after every migration, so that no table is missed. Unlogged tables have counts that nobody caches.
  `create function watch_tables() returns void language plpgsql as $$
  declare
    unwatched name;
  begin
    for unwatched in
      select c.relname from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
        and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'table_changed')
      order by c.relname
    loop
      execute format('create trigger table_changed after insert or update or delete or truncate on %I
        for each statement execute function note_table_change()', unwatched);
    end loop;
  end
  $$`,
]
