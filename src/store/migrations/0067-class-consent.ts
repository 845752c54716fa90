/**
 * Nobody can be made a member of a class or a contest without consent: those added by others are invited until they
 * accept. Also records when a student last opened a sheet.
 */
export const classConsent = (): string[] => [
  'alter table class_member add column is_invited bigint not null default 0',
  `update class_member set is_invited = 1 where is_put_in = 1 and role = 'student'`,
  `create table class_left (
    class_id bigint not null references class (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    is_created_here bigint not null,
    left_at bigint not null,
    primary key (class_id, account_id))`,
  'create index class_left_by_account on class_left (account_id, class_id)',
  `create table sheet_seen (
    sheet_id bigint not null references sheet (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    seen_at bigint not null,
    primary key (sheet_id, account_id))`,
  'create index sheet_seen_by_account on sheet_seen (account_id)',
  'alter table contest_member add column is_invited bigint not null default 0',
  `update contest_member set is_invited = 1 where not exists (
    select 1 from submission
    where submission.contest_id = contest_member.contest_id and submission.author_id = contest_member.account_id)`,
]
