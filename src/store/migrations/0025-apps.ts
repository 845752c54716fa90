/** Apps and OAuth apps: their keys and secrets, installations, users' grants, and tokens. */
import type { Ddl } from './ddl.ts'

export const apps = ({ id }: Ddl): string[] => [
  `create table app (
    id ${id},
    kind text not null,
    slug text not null unique,
    owner_id bigint not null references account (id) on delete cascade,
    bot_id bigint references account (id),
    client_id text not null unique,
    name text not null,
    description text not null,
    url text not null,
    callback_urls text not null,
    permissions text not null,
    events text not null,
    hook_url text,
    hook_secret text,
    is_hook_active bigint not null,
    is_public bigint not null,
    is_confidential bigint not null,
    takes_device_flow bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index app_by_owner on app (owner_id, id)',
  'create unique index app_by_bot on app (bot_id)',
  `create table app_key (
    id ${id},
    app_id bigint not null references app (id) on delete cascade,
    public_key text not null,
    fingerprint text not null,
    created_at bigint not null
  )`,
  'create index app_key_by_app on app_key (app_id, id)',
  `create table app_secret (
    id ${id},
    app_id bigint not null references app (id) on delete cascade,
    secret_hash text not null,
    hint text not null,
    created_at bigint not null
  )`,
  'create index app_secret_by_app on app_secret (app_id, id)',
  `create table app_manifest (
    code_hash text primary key,
    owner_id bigint not null references account (id) on delete cascade,
    manifest text not null,
    expires_at bigint not null
  )`,
  'create index app_manifest_by_owner on app_manifest (owner_id)',
  `create table app_approval (
    app_id bigint not null references app (id) on delete cascade,
    organisation_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (app_id, organisation_id)
  )`,
  'create index app_approval_by_organisation on app_approval (organisation_id)',
  `create table app_installation (
    id ${id},
    app_id bigint not null references app (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    permissions text not null,
    events text not null,
    selection text not null,
    suspended_at bigint,
    suspended_by_id bigint references account (id) on delete set null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (app_id, account_id)
  )`,
  'create index app_installation_by_account on app_installation (account_id, id)',
  `create table app_installation_repository (
    installation_id bigint not null references app_installation (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    created_at bigint not null,
    primary key (installation_id, repository_id)
  )`,
  'create index app_installation_repository_by_repository on app_installation_repository (repository_id)',
  `create table app_grant (
    id ${id},
    app_id bigint not null references app (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    scopes text not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (app_id, user_id)
  )`,
  'create index app_grant_by_user on app_grant (user_id, id)',
  `create table app_code (
    code_hash text primary key,
    app_id bigint not null references app (id) on delete cascade,
    grant_id bigint not null references app_grant (id) on delete cascade,
    redirect_uri text not null,
    is_redirect_given bigint not null,
    scopes text not null,
    challenge text,
    family text not null,
    expires_at bigint not null,
    used_at bigint
  )`,
  'create index app_code_by_grant on app_code (grant_id)',
  'create index app_code_by_app on app_code (app_id)',
  'create index app_code_by_expiry on app_code (expires_at)',
  `create table app_device_code (
    device_hash text primary key,
    user_code text not null unique,
    app_id bigint not null references app (id) on delete cascade,
    scopes text not null,
    state text not null,
    grant_id bigint references app_grant (id) on delete cascade,
    interval_seconds bigint not null,
    polled_at bigint,
    expires_at bigint not null
  )`,
  'create index app_device_code_by_app on app_device_code (app_id)',
  'create index app_device_code_by_grant on app_device_code (grant_id)',
  'create index app_device_code_by_expiry on app_device_code (expires_at)',
  `create table workflow_run (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    name text not null,
    app_id bigint references app (id) on delete set null,
    started_by_id bigint references account (id) on delete set null,
    created_at bigint not null,
    ended_at bigint
  )`,
  'create index workflow_run_by_repository on workflow_run (repository_id, id)',
  'create index workflow_run_by_app on workflow_run (app_id)',
  'create index workflow_run_by_starter on workflow_run (started_by_id)',
  'alter table token add column actor_id bigint references account (id)',
  'alter table token add column app_id bigint references app (id) on delete cascade',
  'alter table token add column installation_id bigint references app_installation (id) on delete cascade',
  'alter table token add column grant_id bigint references app_grant (id) on delete cascade',
  'alter table token add column run_id bigint references workflow_run (id) on delete cascade',
  'alter table token add column family text',
  ...['actor', 'app', 'installation', 'grant', 'run'].map(
    (name) => `create index token_by_${name} on token (${name}_id) where ${name}_id is not null`,
  ),
  'create index token_by_family on token (family) where family is not null',
  'create index token_by_expiry on token (expires_at) where expires_at is not null',
]
