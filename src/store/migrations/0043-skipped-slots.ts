/** On PostgreSQL: slots are given back without a wait for whoever has their rows, and changes are noted whatever a session's search_path is. */
import type { Ddl } from './ddl.ts'

export const skippedSlots = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : [freeSlots, noteAnywhere])

/**
 * Gives back so many slots of each key, but for those (`kept`) whose row somebody has locked: who waits for nothing while it
 * holds locks can't deadlock, and keeps up no looks that come after it on its connection.
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

/** The trigger's own table would not be found by who works on tables of ours by their full names. */
const noteAnywhere = `do $$
  begin
    execute format('alter function note_table_change() set search_path = %I, pg_temp', current_schema());
  end
  $$`
