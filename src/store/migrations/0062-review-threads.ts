/** Who resolved a thread of comments on a line, and when, in the row of its first comment. */
export const reviewThreads = (): string[] => [
  'alter table review_comment add column resolved_by_id bigint references account (id) on delete set null',
  'alter table review_comment add column resolved_at bigint',
]
