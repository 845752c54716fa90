/** The credential of a push (JSON), for its consequences. For earlier pushes it is unknown. */
export const pushCredentials = (): string[] => ['alter table push add column credential text']
