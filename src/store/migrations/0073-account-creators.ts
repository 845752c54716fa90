/**
 * Who created an account. For older accounts the audit log knows it, as far back as it goes; for those of a roster, the
 * class's first teacher counts.
 */
export const accountCreators = (): string[] => [
  'alter table account add column creator_id bigint references account (id) on delete set null',
  'create index account_by_creator on account (creator_id) where creator_id is not null',
  `update account set creator_id = (
    select min(audit_entry.actor_id) from audit_entry
    join account as creator on creator.id = audit_entry.actor_id
    where audit_entry.action = 'user.create' and audit_entry.user_id = account.id)
  where kind = 'user'`,
  `update account set creator_id = (
    select teacher.account_id from class_member as student
    join class_member as teacher on teacher.class_id = student.class_id and teacher.role = 'teacher'
    where student.account_id = account.id and student.is_created_here = 1
    order by teacher.joined_at, teacher.account_id
    limit 1)
  where kind = 'user' and creator_id is null`,
]
