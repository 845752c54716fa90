/**
 * On PostgreSQL: slots are freed without waiting for row locks, and changes are recorded for any search_path of a
 * session.
 */
import type { Ddl } from './ddl.ts'

export const skippedSlots = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : [freeSlots, noteAnywhere])

/**
 * Frees this many slots of each key, except those (`kept`) whose row is locked: a statement that never waits while it
 * holds locks can't deadlock, and does not delay later reads on its connection.
 */
const freeSlots = `create function free_slots(
    slot_holder text, leaving text[], amounts bigint[], out kept text[]) language sql as $$
  with free as (
    select s.key, l.amount from unnest(leaving, amounts) as l (name, amount)
    join rate_slot s on s.key = l.name and s.holder = slot_holder
    for update of s skip locked),
  given as (
    update rate_slot s set held = s.held - f.amount from free f
    where s.key = f.key and s.holder = slot_holder
    returning s.key)
  select coalesce(array_agg(s.key), '{}') from rate_slot s
  where s.key = any (leaving) and s.holder = slot_holder and s.key not in (select g.key from given g)
  $$`

/** Otherwise a session that uses our tables by their full names would not find the trigger's own table. */
const noteAnywhere = `do $$
  begin
    execute format('alter function note_table_change() set search_path = %I, pg_temp', current_schema());
  end
  $$`
