/** Jobs; and, only on PostgreSQL (SQLite serves one process, which counts in memory), rate windows and slots. */
import type { Ddl } from './ddl.ts'

export const jobsAndRates = (ddl: Ddl): string[] => [
  ...jobs(ddl),
  ...(ddl.engine === 'postgres' ? [...rateTables(ddl), ...rateFunctions] : []),
]

const jobs = ({ id }: Ddl): string[] => [
  `create table job (
    id ${id},
    kind text not null,
    key text,
    every_ms bigint,
    payload text not null,
    state text not null,
    run_at bigint not null,
    tries bigint not null,
    max_tries bigint not null,
    lease text,
    lease_until bigint,
    progress_done bigint,
    progress_total bigint,
    error text,
    created_at bigint not null,
    finished_at bigint
  )`,
  "create index job_due on job (kind, run_at, id) where state = 'queued'",
  "create unique index job_waiting_key on job (kind, key) where state = 'queued'",
  "create index job_running_key on job (kind, key) where state = 'running'",
  "create index job_by_lease on job (lease_until) where state = 'running'",
  "create index job_done on job (finished_at) where state = 'done'",
  "create index job_dead on job (finished_at) where state = 'dead'",
  'create unique index job_recurring on job (kind) where every_ms is not null',
]

// A window's count is updated in place (no index includes it) as long as its page has room.
const rateTables = ({ unlogged }: Ddl): string[] => [
  `create ${unlogged} table rate_window (
    key text primary key,
    used bigint not null,
    reset_at bigint not null
  ) with (fillfactor = 50)`,
  'create index rate_window_by_end on rate_window (reset_at)',
  `create ${unlogged} table rate_holder (
    holder text primary key,
    expires_at bigint not null
  )`,
  `create ${unlogged} table rate_slot (
    key text not null,
    holder text not null,
    held bigint not null,
    primary key (key, holder)
  ) with (fillfactor = 50)`,
]

// Each key is looked up separately (`limit 1`): a join is planned by the table's statistics, which are always outdated
// for this table.
const rateFunctions = [
  `create function peek_rate(keys text[], widths bigint[], at_ms bigint)
  returns table (used bigint, reset_at bigint) language sql stable as $$
    select case when w.reset_at > at_ms then w.used else 0 end,
      case when w.reset_at > at_ms then w.reset_at else at_ms + b.width end
    from unnest(keys, widths) with ordinality as b (name, width, place)
    left join lateral (select r.used, r.reset_at from rate_window r where r.key = b.name limit 1) w on true
    order by b.place
  $$`,
  // A committed count never falls during its window: if one is over its limit, the request is refused without a lock or
  // a write. Otherwise all are increased, with their rows locked in key order, and decreased again if one is then over
  // its limit.
  `create function spend_rate(keys text[], limits bigint[], widths bigint[], costs bigint[], at_ms bigint)
  returns table (allowed boolean, used bigint, reset_at bigint) language plpgsql as $$
  #variable_conflict use_column
  declare
    fits boolean;
  begin
    fits := not exists (
      select from unnest(keys, limits, costs) as b (name, most, cost),
        lateral (select r.used, r.reset_at from rate_window r where r.key = b.name limit 1) w
      where w.reset_at > at_ms and w.used + b.cost > b.most);
    if fits then
      insert into rate_window as w (key, used, reset_at)
      select b.name, b.cost, at_ms + b.width from unnest(keys, widths, costs) as b (name, width, cost) order by b.name
      on conflict (key) do update set
        used = case when w.reset_at > at_ms then w.used else 0 end + excluded.used,
        reset_at = case when w.reset_at > at_ms then w.reset_at else excluded.reset_at end;
      fits := not exists (
        select from unnest(keys, limits) as b (name, most),
          lateral (select r.used from rate_window r where r.key = b.name limit 1) w
        where w.used > b.most);
      if not fits then
        update rate_window w set used = w.used - b.cost
        from unnest(keys, costs) as b (name, cost) where w.key = b.name;
      end if;
    end if;
    return query select fits, p.used, p.reset_at from peek_rate(keys, widths, at_ms) p;
  end
  $$`,
  `create function enter_rate(slot_key text, slot_holder text, most bigint, at_ms bigint)
  returns boolean language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended('rate slot ' || slot_key, 0));
    if most <= (
      select coalesce(sum(s.held), 0) from rate_slot s join rate_holder h on h.holder = s.holder
      where s.key = slot_key and h.expires_at > at_ms) then
      return false;
    end if;
    insert into rate_slot as s (key, holder, held) values (slot_key, slot_holder, 1)
    on conflict (key, holder) do update set held = s.held + 1;
    return true;
  end
  $$`,
]
