/**
 * The repository of an issue event's commit, which may be another one that not everyone can read. Null: the event's
 * own.
 */
export const commitPlaces = (): string[] => ['alter table issue_event add column commit_repository_id bigint']
