/** How many events a hook was not told of for want of room, within the last day or so, and when that was last. */
export const droppedEvents = (): string[] => [
  'alter table webhook add column dropped_count bigint not null default 0',
  'alter table webhook add column dropped_at bigint not null default 0',
]
