/** Deployments, their statuses, and environments; autolinks; further mail addresses. */
import type { Ddl } from './ddl.ts'

export const deployments = ({ id }: Ddl): string[] => [
  `create table deployment (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    sha text not null,
    ref text not null,
    task text not null,
    environment text not null,
    original_environment text not null,
    description text,
    payload text not null,
    is_transient bigint not null,
    is_production bigint not null,
    creator_id bigint not null references account (id),
    app_id bigint references app (id) on delete set null,
    approval text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index deployment_by_repository on deployment (repository_id, id)',
  'create index deployment_by_environment on deployment (repository_id, environment, id)',
  'create index deployment_by_app on deployment (app_id) where app_id is not null',
  `create table deployment_status (
    id ${id},
    deployment_id bigint not null references deployment (id) on delete cascade,
    state text not null,
    creator_id bigint not null references account (id),
    app_id bigint references app (id) on delete set null,
    description text not null,
    environment text not null,
    environment_url text not null,
    log_url text not null,
    created_at bigint not null
  )`,
  'create index deployment_status_by_deployment on deployment_status (deployment_id, id)',
  'create index deployment_status_by_app on deployment_status (app_id) where app_id is not null',
  `create table deployment_environment (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    name text not null,
    reviewers text not null,
    prevents_self_review bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (repository_id, name)
  )`,
  `create table autolink (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    prefix text not null,
    template text not null,
    is_alphanumeric bigint not null,
    created_at bigint not null
  )`,
  'alter table profile add column is_email_public bigint not null default 0',
  `create table account_email (
    email text primary key,
    account_id bigint not null references account (id) on delete cascade,
    created_at bigint not null
  )`,
  'create index account_email_by_account on account_email (account_id)',
  'create index autolink_by_repository on autolink (repository_id, id)',
]
