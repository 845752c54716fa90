/**
 * Rates of many requests in few statements, on PostgreSQL, returned as one row: sent together with the look-up of
 * others' changes.
 */
import type { Ddl } from './ddl.ts'

export const admittedGroups = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : [admitGroup])

/**
 * Like `admit_rates`, but without finished requests: takes all slots and spends from all budgets, or neither (`keys` is
 * null then). Its results are in an order of its own. Budgets are increased before they are checked, since most fit,
 * and decreased again if one does not. Numbers are float8, since clients read arrays of those as numbers.
 */
const admitGroup = `create function admit_group(
    slot_holder text, slots text[], slot_limits bigint[], slot_counts bigint[],
    names text[], limits bigint[], widths bigint[], costs bigint[], at_ms bigint,
    out keys text[], out used float8[], out resets float8[]) language plpgsql as $$
  declare
    fits boolean;
  begin
    if cardinality(slots) > 0 then
      perform pg_advisory_xact_lock(hashtextextended('rate slot ' || w.name, 0))
      from (select u.name from unnest(slots) as u (name) order by u.name) w;
      if exists (
        select from unnest(slots, slot_limits, slot_counts) as w (name, most, wanted)
        where w.most < w.wanted + (
          select coalesce(sum(s.held), 0) from rate_slot s join rate_holder h on h.holder = s.holder
          where s.key = w.name and h.expires_at > at_ms)) then
        return;
      end if;
    end if;
    with spent as (
      insert into rate_window as w (key, used, reset_at)
      select b.name, b.cost, at_ms + b.width from unnest(names, widths, costs) as b (name, width, cost) order by b.name
      on conflict (key) do update set
        used = case when w.reset_at > at_ms then w.used else 0 end + excluded.used,
        reset_at = case when w.reset_at > at_ms then w.reset_at else excluded.reset_at end
      returning w.key, w.used, w.reset_at)
    select coalesce(array_agg(s.key), '{}'), array_agg(s.used), array_agg(s.reset_at),
      not exists (select from spent o, unnest(names, limits) as b (name, most) where b.name = o.key and o.used > b.most)
    into keys, used, resets, fits from spent s;
    if not fits then
      update rate_window w set used = w.used - b.cost
      from unnest(names, costs) as b (name, cost) where w.key = b.name;
      keys := null;
      return;
    end if;
    if cardinality(slots) > 0 then
      insert into rate_slot as s (key, holder, held)
      select w.name, slot_holder, w.wanted from unnest(slots, slot_counts) as w (name, wanted)
      on conflict (key, holder) do update set held = s.held + excluded.held;
    end if;
  end
  $$`
