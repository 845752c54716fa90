/** On PostgreSQL: a request's slot and all its budgets in one call, and how many slots each server holds. */
import type { Ddl } from './ddl.ts'

export const concurrencySlots = ({ engine, unlogged }: Ddl): string[] =>
  engine === 'sqlite' ? [] : [slotTable(unlogged), admitRate]

// The index by key serves the sum over the few servers that hold slots of a key.
const slotTable = (unlogged: string) => `create ${unlogged} table concurrency_slot (
    key text not null,
    server text not null,
    held bigint not null,
    version bigint not null,
    expires_at bigint not null,
    primary key (key, server)
  ) with (fillfactor = 50)`

/**
 * Takes the slot, if one is given, and spends from all budgets; or does neither. `slot_held` is how many the server
 * holds with this one. Refusals are found by a read, without a lock or a write. Otherwise all are increased, with their
 * rows locked in key order, and decreased again if one is then over its limit. Numbers are float8, since clients read
 * arrays of those as numbers.
 */
const admitRate = `create function admit_rate(
    asking text, slot text, slot_held bigint, slot_limit bigint, slot_version bigint, slot_until bigint,
    names text[], limits bigint[], widths bigint[], costs bigint[], at_ms bigint,
    out entered boolean, out allowed boolean, out used float8[], out resets float8[]) language plpgsql as $$
  begin
    entered := true;
    if slot is not null then
      perform pg_advisory_xact_lock(hashtextextended('concurrency slot ' || slot, 0));
      entered := slot_limit >= slot_held + (
        select coalesce(sum(c.held), 0) from concurrency_slot c
        where c.key = slot and c.server <> asking and c.expires_at > at_ms);
      if not entered then
        allowed := false;
        return;
      end if;
    end if;
    select coalesce(bool_and(coalesce(w.used, 0) + b.cost <= b.most), true),
      array_agg(coalesce(w.used, 0) order by b.place), array_agg(coalesce(w.reset_at, at_ms + b.width) order by b.place)
    into allowed, used, resets
    from unnest(names, limits, widths, costs) with ordinality as b (name, most, width, cost, place)
    left join lateral (
      select r.used, r.reset_at from rate_window r where r.key = b.name and r.reset_at > at_ms limit 1) w on true;
    if not allowed then
      return;
    end if;
    with spent as (
      insert into rate_window as w (key, used, reset_at)
      select b.name, b.cost, at_ms + b.width from unnest(names, widths, costs) as b (name, width, cost) order by b.name
      on conflict (key) do update set
        used = case when w.reset_at > at_ms then w.used else 0 end + excluded.used,
        reset_at = case when w.reset_at > at_ms then w.reset_at else excluded.reset_at end
      returning w.key, w.used, w.reset_at)
    select coalesce(bool_and(s.used <= b.most), true),
      array_agg(s.used order by b.place), array_agg(s.reset_at order by b.place)
    into allowed, used, resets
    from unnest(names, limits) with ordinality as b (name, most, place) join spent s on s.key = b.name;
    if not allowed then
      update rate_window w set used = w.used - b.cost
      from unnest(names, costs) as b (name, cost) where w.key = b.name;
      used := array(
        select s.amount - s.cost from unnest(used, costs) with ordinality as s (amount, cost, place) order by s.place);
      return;
    end if;
    if slot is not null then
      insert into concurrency_slot as c (key, server, held, version, expires_at)
      values (slot, asking, slot_held, slot_version, slot_until)
      on conflict (key, server) do update
      set held = excluded.held, version = excluded.version, expires_at = excluded.expires_at
      where c.version < excluded.version;
    end if;
  end
  $$`
