/** Distinguishes executors with the same name, and remembers languages offered recently. */

export const executorInstances = (): string[] => [
  // The displayed name; `name` is the key, which includes the instance. Empty if both are the same.
  `alter table executor add column given_name text not null default ''`,
  `create table recent_language (
    value text primary key,
    offered_at bigint not null
  )`,
]
