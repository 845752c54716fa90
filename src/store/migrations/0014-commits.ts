/** Data of commits and branches: statuses, protection, comments; releases with their files, and attachments. */
import type { Ddl } from './ddl.ts'

export const commits = (ddl: Ddl): string[] => [...ofCommits(ddl), ...ofReleases(ddl), ...deletions(ddl)]

const ofCommits = ({ id }: Ddl): string[] => [
  `create table commit_status (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    sha text not null,
    context text not null,
    state text not null,
    target_url text,
    description text,
    creator_id bigint not null references account (id),
    created_at bigint not null
  )`,
  'create index commit_status_by_commit on commit_status (repository_id, sha, id)',
  'create index commit_status_by_context on commit_status (repository_id, sha, context, id)',
  `create table branch_protection (
    repository_id bigint not null references repository (id) on delete cascade,
    branch text not null,
    rules text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (repository_id, branch)
  )`,
  `create table commit_comment (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    sha text not null,
    author_id bigint not null references account (id),
    path text,
    position bigint,
    line bigint,
    body text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index commit_comment_by_repository on commit_comment (repository_id, id)',
  'create index commit_comment_by_commit on commit_comment (repository_id, sha, id)',
]

const ofReleases = ({ id }: Ddl): string[] => [
  `create table release (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    author_id bigint not null references account (id),
    tag text not null,
    target text not null,
    name text,
    body text,
    is_draft bigint not null,
    is_prerelease bigint not null,
    latest text not null,
    created_at bigint not null,
    updated_at bigint not null,
    published_at bigint
  )`,
  'create index release_by_repository on release (repository_id, created_at, id)',
  'create unique index release_by_tag on release (repository_id, tag) where is_draft = 0',
  `create table release_asset (
    id ${id},
    release_id bigint not null references release (id) on delete cascade,
    uploader_id bigint not null references account (id),
    name text not null,
    label text,
    content_type text not null,
    blob_hash text not null,
    size bigint not null,
    download_count bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (release_id, name)
  )`,
  'create index release_asset_by_blob on release_asset (blob_hash)',
  `create table attachment (
    id ${id},
    uuid text not null unique,
    repository_id bigint not null references repository (id) on delete cascade,
    uploader_id bigint not null references account (id),
    name text not null,
    content_type text not null,
    blob_hash text not null,
    size bigint not null,
    created_at bigint not null
  )`,
  'create index attachment_by_blob on attachment (blob_hash)',
  'create index attachment_by_repository on attachment (repository_id, id)',
  'create index attachment_by_uploader on attachment (uploader_id, id)',
]

/** A blob is deleted only because of a row: when its last reference may be gone, or an upload failed. */
const deletions = ({ engine }: Ddl): string[] => [
  'create table blob_deletion (blob_hash text primary key, deleted_at bigint not null)',
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const note = `insert into blob_deletion (blob_hash, deleted_at) values (old.blob_hash, 0)
  on conflict (blob_hash) do nothing`

const sqliteTriggers = [
  `create trigger release_asset_deleted after delete on release_asset begin ${note}; end`,
  `create trigger attachment_deleted after delete on attachment begin ${note}; end`,
]

const postgresTriggers = [
  `create function note_blob_deletion() returns trigger language plpgsql as $$ begin ${note}; return null; end $$`,
  `create trigger release_asset_deleted after delete on release_asset
    for each row execute function note_blob_deletion()`,
  `create trigger attachment_deleted after delete on attachment for each row execute function note_blob_deletion()`,
]
