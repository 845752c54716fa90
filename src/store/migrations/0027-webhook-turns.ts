/** The account whose turn a delivery's payload takes, the size of what waits, and hooks of apps. */
import type { Ddl } from './ddl.ts'

export const webhookTurns = (_: Ddl): string[] => [
  'alter table webhook add column app_id bigint references app (id) on delete cascade',
  'create unique index webhook_by_app on webhook (app_id) where app_id is not null',
  'alter table webhook_delivery add column turn_id bigint not null default 0',
  'alter table webhook_delivery add column installation_id bigint',
  'update webhook_delivery set turn_id = account_id',
  'drop index webhook_delivery_waiting',
  "create index webhook_delivery_waiting on webhook_delivery (turn_id, id) where state = 'waiting'",
  'drop index webhook_delivery_queued',
  "create index webhook_delivery_queued on webhook_delivery (account_id, webhook_id, turn_id, size) where state <> 'done'",
]
