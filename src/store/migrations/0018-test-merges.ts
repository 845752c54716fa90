/** The test merge of a pull, and the commits that it was made from; and who has pulls in a repository. */
export const testMerges = (): string[] => [
  'alter table pull add column test_merge_sha text',
  'alter table pull add column test_base_sha text',
  'alter table pull add column test_head_sha text',
  'create index issue_pull_by_author on issue (repository_id, author_id) where is_pull = 1',
]
