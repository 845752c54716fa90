/** Issues of a repository, with labels, milestones and comments, and the events of actions on them. */
import type { Ddl } from './ddl.ts'

export const issues = (ddl: Ddl): string[] => [...catalogue(ddl), ...issue(ddl), ...comments(ddl)]

const catalogue = ({ id }: Ddl): string[] => [
  'alter table repository add column last_issue_number bigint not null default 0',
  `create table label (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    name text not null,
    name_key text not null,
    color text not null,
    description text,
    is_default bigint not null,
    unique (repository_id, name_key)
  )`,
  `create table milestone (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    number bigint not null,
    state text not null,
    title text not null,
    title_key text not null,
    description text,
    creator_id bigint not null references account (id),
    open_issue_count bigint not null,
    closed_issue_count bigint not null,
    due_on bigint,
    closed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    unique (repository_id, number),
    unique (repository_id, title_key)
  )`,
]

const issue = ({ id }: Ddl): string[] => [
  `create table issue (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    number bigint not null,
    is_pull bigint not null,
    state text not null,
    state_reason text,
    title text not null,
    body text,
    author_id bigint not null references account (id),
    milestone_id bigint references milestone (id) on delete set null,
    is_locked bigint not null,
    lock_reason text,
    pinned_at bigint,
    duplicate_of_id bigint references issue (id) on delete set null,
    comment_count bigint not null,
    app_id bigint,
    closed_by_id bigint references account (id),
    closed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint,
    unique (repository_id, number)
  )`,
  'create index issue_by_creation on issue (repository_id, created_at, id) where deleted_at is null',
  'create index issue_by_update on issue (repository_id, updated_at, id) where deleted_at is null',
  'create index issue_by_state_and_creation on issue (repository_id, state, created_at, id) where deleted_at is null',
  'create index issue_by_state_and_update on issue (repository_id, state, updated_at, id) where deleted_at is null',
  'create index issue_by_comments on issue (repository_id, comment_count, id) where deleted_at is null',
  'create index issue_by_author on issue (author_id, id)',
  'create index issue_by_milestone on issue (milestone_id, id) where milestone_id is not null',
  'create index issue_pinned on issue (repository_id, pinned_at) where pinned_at is not null',
  'create index issue_by_duplicate on issue (duplicate_of_id) where duplicate_of_id is not null',
  `create table issue_label (
    issue_id bigint not null references issue (id) on delete cascade,
    label_id bigint not null references label (id) on delete cascade,
    primary key (issue_id, label_id)
  )`,
  'create index issue_label_by_label on issue_label (label_id, issue_id)',
  `create table issue_assignee (
    issue_id bigint not null references issue (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (issue_id, user_id)
  )`,
  'create index issue_assignee_by_user on issue_assignee (user_id, issue_id)',
  // Users mentioned in an issue or its comments.
  `create table issue_mention (
    issue_id bigint not null references issue (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (issue_id, user_id)
  )`,
  'create index issue_mention_by_user on issue_mention (user_id, issue_id)',
  // Former places of transferred issues.
  `create table issue_former_place (
    repository_id bigint not null references repository (id) on delete cascade,
    number bigint not null,
    issue_id bigint not null references issue (id) on delete cascade,
    primary key (repository_id, number)
  )`,
  'create index issue_former_place_by_issue on issue_former_place (issue_id)',
  `create table issue_event (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    issue_id bigint not null references issue (id) on delete cascade,
    actor_id bigint not null references account (id),
    event text not null,
    commit_sha text,
    data text not null,
    app_id bigint,
    is_hidden bigint not null,
    created_at bigint not null
  )`,
  'create index issue_event_by_repository on issue_event (repository_id, id) where is_hidden = 0',
  'create index issue_event_by_issue on issue_event (issue_id, id)',
]

const comments = ({ id }: Ddl): string[] => [
  `create table issue_comment (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    issue_id bigint not null references issue (id) on delete cascade,
    author_id bigint not null references account (id),
    body text not null,
    app_id bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index issue_comment_by_issue on issue_comment (issue_id, id)',
  'create index issue_comment_by_issue_and_update on issue_comment (issue_id, updated_at, id)',
  'create index issue_comment_by_repository on issue_comment (repository_id, id)',
  'create index issue_comment_by_update on issue_comment (repository_id, updated_at, id)',
  'create index issue_comment_by_author on issue_comment (author_id, issue_id)',
  // The subject of a reaction: an issue, a comment of any kind, a release.
  `create table reaction (
    id ${id},
    subject_kind text not null,
    subject_id bigint not null,
    repository_id bigint not null references repository (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    content text not null,
    created_at bigint not null,
    unique (subject_kind, subject_id, user_id, content)
  )`,
  'create index reaction_by_subject on reaction (subject_kind, subject_id, id)',
  'create index reaction_by_repository on reaction (repository_id)',
  // One issue refers to another, in its text (no comment) or in a comment.
  `create table cross_reference (
    id ${id},
    target_id bigint not null references issue (id) on delete cascade,
    source_id bigint not null references issue (id) on delete cascade,
    actor_id bigint not null references account (id),
    created_at bigint not null,
    unique (target_id, source_id)
  )`,
  'create index cross_reference_by_source on cross_reference (source_id)',
]
