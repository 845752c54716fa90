/** Whether a repository is being pushed to is asked whenever it is opened. */
export const receivingPushes = (): string[] => [
  "create index push_receiving_by_repository on push (repository_id) where state = 'receiving'",
]
