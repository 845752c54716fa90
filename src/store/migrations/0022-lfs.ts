/** Large files (Git LFS): a repository's objects, their total size, and locked paths. */
import type { Ddl } from './ddl.ts'

/**
 * Paths are limited to what fits an index entry of PostgreSQL. Triggers maintain `lfs_usage`, so that the sum need not
 * read all objects.
 */
export const lfs = ({ id, engine }: Ddl): string[] => [
  `create table lfs_object (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    blob_hash text not null,
    size bigint not null,
    created_at bigint not null,
    unique (repository_id, blob_hash)
  )`,
  'create index lfs_object_by_blob on lfs_object (blob_hash)',
  `create table lfs_usage (
    repository_id bigint primary key references repository (id) on delete cascade,
    byte_count bigint not null
  )`,
  `create table lfs_lock (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    path text not null,
    owner_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    unique (repository_id, path)
  )`,
  'create index lfs_lock_by_repository on lfs_lock (repository_id, id)',
  'create index lfs_lock_by_owner on lfs_lock (owner_id)',
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const count = `insert into lfs_usage (repository_id, byte_count) values (new.repository_id, new.size)
  on conflict (repository_id) do update set byte_count = lfs_usage.byte_count + excluded.byte_count`
const discount = 'update lfs_usage set byte_count = byte_count - old.size where repository_id = old.repository_id'
const note = `insert into blob_deletion (blob_hash, deleted_at) values (old.blob_hash, 0)
  on conflict (blob_hash) do nothing`

const sqliteTriggers = [
  `create trigger lfs_object_counted after insert on lfs_object begin ${count}; end`,
  `create trigger lfs_object_deleted after delete on lfs_object begin ${discount}; ${note}; end`,
]

const postgresTriggers = [
  `create function keep_lfs_object() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${count}; end if;
    if tg_op = 'DELETE' then ${discount}; ${note}; end if;
    return null;
  end
  $$`,
  `create trigger lfs_object_kept after insert or delete on lfs_object for each row execute function keep_lfs_object()`,
]
