/** Executors of one name are told apart, and what any offered of late is remembered when it offers less. */

export const executorInstances = (): string[] => [
  // What people read; `name` is the key, and has the instance behind it. Empty where both are the same.
  `alter table executor add column given_name text not null default ''`,
  `create table recent_language (
    value text primary key,
    offered_at bigint not null
  )`,
]
