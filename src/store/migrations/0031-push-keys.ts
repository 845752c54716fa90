/** The keys of pushes, so that a repeated one is not stored again. */
export const pushKeys = (): string[] => [
  `create table dataset_push_key (
    dataset_id bigint not null references dataset (id) on delete cascade,
    key_hash text not null,
    body_hash text not null,
    push_number bigint not null,
    pushed_at bigint not null,
    primary key (dataset_id, key_hash)
  )`,
  'create index dataset_push_key_by_number on dataset_push_key (dataset_id, push_number)',
  'create index dataset_push_key_by_age on dataset_push_key (pushed_at)',
]
