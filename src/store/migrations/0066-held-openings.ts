/** Sheets and contests open a held problem only if an owner of it added it there. */
export const heldOpenings = (): string[] => [
  'alter table sheet_problem add column opens_held bigint not null default 0',
  'alter table contest_problem add column opens_held bigint not null default 0',
  `update sheet_problem set opens_held = 1 where exists (
    select 1 from problem
    join sheet on sheet.id = sheet_problem.sheet_id
    join class_member on class_member.class_id = sheet.class_id and class_member.role = 'teacher'
    join account on account.id = class_member.account_id
    where problem.id = sheet_problem.problem_id
      and (account.id = problem.author_id or account.role = 'admin'))`,
  `update contest_problem set opens_held = 1 where exists (
    select 1 from problem
    join contest on contest.id = contest_problem.contest_id
    join account on account.id = contest.owner_id or account.id in (
      select account_id from contest_person where contest_id = contest.id and role = 'jury')
    where problem.id = contest_problem.problem_id
      and (account.id = problem.author_id or account.role = 'admin'))`,
]
