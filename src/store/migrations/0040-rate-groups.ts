/** Rates of many requests in one statement, on PostgreSQL: a server sends concurrent ones in one round trip. */
import type { Ddl } from './ddl.ts'

export const rateGroups = ({ engine }: Ddl): string[] => (engine === 'sqlite' ? [] : [admitRates])

/**
 * Frees the slots of finished requests. Then takes all slots and spends from all budgets, or neither: in that case it
 * returns no rows, and each request must ask separately. Keys are distinct; locks are taken in their order, slots
 * first, as in the functions for one request.
 */
const admitRates = `create function admit_rates(
    slot_holder text, leaving text[], leaving_counts bigint[], slots text[], slot_limits bigint[], slot_counts bigint[],
    keys text[], limits bigint[], widths bigint[], costs bigint[], at_ms bigint)
  returns table (used bigint, reset_at bigint) language plpgsql as $$
  #variable_conflict use_column
  begin
    if cardinality(leaving) > 0 then
      update rate_slot s set held = s.held - l.amount from unnest(leaving, leaving_counts) as l (name, amount)
      where s.key = l.name and s.holder = slot_holder;
    end if;
    perform pg_advisory_xact_lock(hashtextextended('rate slot ' || w.name, 0))
    from (select name from unnest(slots) as u (name) order by name) w;
    if exists (
      select from unnest(slots, slot_limits, slot_counts) as w (name, most, wanted)
      where w.most < w.wanted + (
        select coalesce(sum(s.held), 0) from rate_slot s join rate_holder h on h.holder = s.holder
        where s.key = w.name and h.expires_at > at_ms)) then
      return;
    end if;
    return query select r.used, r.reset_at from spend_rate(keys, limits, widths, costs, at_ms) r where r.allowed;
    if found then
      insert into rate_slot as s (key, holder, held)
      select w.name, slot_holder, w.wanted from unnest(slots, slot_counts) as w (name, wanted)
      on conflict (key, holder) do update set held = s.held + excluded.held;
    end if;
  end
  $$`
