/** The basis of the forge: people, organisations, teams, repositories and access to them. */
import type { Ddl } from './ddl.ts'

export const forge = (ddl: Ddl): string[] => [...accounts, ...organisations(ddl), ...repositories(ddl)]

const accounts = [
  'alter table account add column suspended_at bigint',
  'alter table token add column banned_at bigint',
  `create table profile (
    account_id bigint primary key references account (id) on delete cascade,
    email text,
    bio text,
    company text,
    location text,
    website text,
    plan text not null,
    member_rank bigint not null,
    members_may_create bigint not null
  )`,
  'create index profile_by_email on profile (email)',
  'create index account_by_kind on account (kind, id)',
]

const organisations = ({ id }: Ddl): string[] => [
  `create table organisation_member (
    organisation_id bigint not null references account (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    role text not null,
    state text not null,
    is_public bigint not null,
    created_at bigint not null,
    primary key (organisation_id, user_id)
  )`,
  'create index organisation_member_by_user on organisation_member (user_id, organisation_id)',
  `create table team (
    id ${id},
    organisation_id bigint not null references account (id) on delete cascade,
    parent_id bigint references team (id) on delete set null,
    name text not null,
    slug text not null,
    description text,
    privacy text not null,
    notification_setting text not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (organisation_id, slug)
  )`,
  'create index team_by_parent on team (parent_id, id)',
  `create table team_ancestor (
    team_id bigint not null references team (id) on delete cascade,
    ancestor_id bigint not null references team (id) on delete cascade,
    primary key (team_id, ancestor_id)
  )`,
  'create index team_ancestor_down on team_ancestor (ancestor_id, team_id)',
  `create table team_member (
    team_id bigint not null references team (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    role text not null,
    created_at bigint not null,
    primary key (team_id, user_id)
  )`,
  'create index team_member_by_user on team_member (user_id, team_id)',
]

const repositories = ({ id }: Ddl): string[] => [
  `create table repository (
    id ${id},
    owner_id bigint not null references account (id),
    name text not null,
    name_key text not null,
    description text,
    homepage text,
    is_private bigint not null,
    is_archived bigint not null,
    locked_at bigint,
    default_branch text not null,
    topics text not null,
    options text not null,
    language text,
    size_kib bigint not null,
    subscriber_count bigint not null,
    open_issue_count bigint not null,
    last_push_id bigint not null,
    pushed_at bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (owner_id, name_key)
  )`,
  'create index repository_by_creation on repository (owner_id, created_at, id)',
  'create index repository_by_update on repository (owner_id, updated_at, id)',
  'create index repository_by_push on repository (owner_id, pushed_at, id)',
  'create index repository_public on repository (id) where is_private = 0',
  `create table repository_former_name (
    owner_id bigint not null references account (id) on delete cascade,
    name_key text not null,
    repository_id bigint not null references repository (id) on delete cascade,
    primary key (owner_id, name_key)
  )`,
  'create index repository_former_name_by_repository on repository_former_name (repository_id)',
  `create table collaborator (
    repository_id bigint not null references repository (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    rank bigint not null,
    created_at bigint not null,
    primary key (repository_id, user_id)
  )`,
  'create index collaborator_by_user on collaborator (user_id, repository_id)',
  `create table repository_invitation (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    invitee_id bigint not null references account (id) on delete cascade,
    inviter_id bigint not null references account (id) on delete cascade,
    rank bigint not null,
    created_at bigint not null,
    unique (repository_id, invitee_id)
  )`,
  'create index repository_invitation_by_invitee on repository_invitation (invitee_id, id)',
  'create index repository_invitation_by_repository on repository_invitation (repository_id, id)',
  `create table team_repository (
    team_id bigint not null references team (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    rank bigint not null,
    created_at bigint not null,
    primary key (team_id, repository_id)
  )`,
  'create index team_repository_by_repository on team_repository (repository_id, team_id)',
  `create table watch (
    repository_id bigint not null references repository (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    is_ignored bigint not null,
    created_at bigint not null,
    primary key (repository_id, user_id)
  )`,
  'create index watch_by_user on watch (user_id, repository_id)',
  `create table push (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    pusher_id bigint not null references account (id) on delete cascade,
    state text not null,
    changes text not null,
    created_at bigint not null
  )`,
  'create index push_by_repository on push (repository_id, id)',
  "create index push_receiving on push (id) where state = 'receiving'",
]
