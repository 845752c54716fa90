/** Students who left a class keep their rows in its results: their roster names, and the submissions that counted. */
export const leftStudents = (): string[] => [
  `alter table class_left add column roster_name text not null default ''`,
  `update class_left set roster_name = (select display_name from account where account.id = class_left.account_id)`,
  // When they had joined is not known: teachers read nothing that they could not read before.
  'alter table class_left add column joined_at bigint not null default 0',
  'update class_left set joined_at = left_at',
  `create table left_submission (
    class_id bigint not null,
    account_id bigint not null,
    sheet_id bigint not null references sheet (id) on delete cascade,
    submission_id bigint not null references submission (id) on delete cascade,
    primary key (sheet_id, submission_id),
    foreign key (class_id, account_id) references class_left (class_id, account_id) on delete cascade)`,
  'create index left_submission_by_submission on left_submission (submission_id)',
  'create index left_submission_by_account on left_submission (class_id, account_id)',
  `insert into left_submission (class_id, account_id, sheet_id, submission_id)
    select class_left.class_id, class_left.account_id, sheet.id, submission.id
    from class_left
    join sheet on sheet.class_id = class_left.class_id
      and sheet.is_published = 1 and sheet.created_at <= class_left.left_at
    join sheet_problem on sheet_problem.sheet_id = sheet.id
    join submission on submission.problem_id = sheet_problem.problem_id
      and submission.author_id = class_left.account_id and submission.contest_id is null
      and submission.created_at between sheet.open_time and class_left.left_at
    left join sheet_extension on sheet_extension.sheet_id = sheet.id
      and sheet_extension.account_id = class_left.account_id
    where sheet.due_time is null or submission.created_at <= sheet.late_until
      or submission.created_at <= coalesce(sheet_extension.due_time, sheet.due_time)`,
]
