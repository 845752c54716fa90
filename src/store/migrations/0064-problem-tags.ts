/** Tags of problems, for searching. */
export const problemTags = (): string[] => [
  `create table problem_tag (
    problem_id bigint not null references problem (id) on delete cascade,
    tag text not null,
    primary key (problem_id, tag))`,
  'create index problem_tag_by_tag on problem_tag (tag, problem_id)',
]
