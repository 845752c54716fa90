/** The inbox filters that users saved, as JSON. */
export const inboxFilters = (): string[] => [
  `create table inbox_filters (
    user_id bigint primary key references account (id) on delete cascade,
    filters text not null
  )`,
]
