/** Every time a repository is opened, it is checked whether a push to it is in progress. */
export const receivingPushes = (): string[] => [
  "create index push_receiving_by_repository on push (repository_id) where state = 'receiving'",
]
