/** Where the commit of an issue event is: it may be in another repository, which not everyone reads. Null: in the event's own. */
export const commitPlaces = (): string[] => ['alter table issue_event add column commit_repository_id bigint']
