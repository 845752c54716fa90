/** How many events a hook missed for lack of room, within the last day or so, and when that last happened. */
export const droppedEvents = (): string[] => [
  'alter table webhook add column dropped_count bigint not null default 0',
  'alter table webhook add column dropped_at bigint not null default 0',
]
