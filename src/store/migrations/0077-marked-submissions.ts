/** A mark names the submission it was given for. */
export const markedSubmissions = (): string[] => [
  'alter table sheet_mark add column submission_id bigint references submission (id) on delete set null',
  'create index sheet_mark_by_submission on sheet_mark (submission_id) where submission_id is not null',
]
