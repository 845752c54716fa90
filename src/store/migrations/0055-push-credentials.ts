/** The credential that a push came by (JSON), for what follows from it. Of earlier pushes nobody knows it. */
export const pushCredentials = (): string[] => ['alter table push add column credential text']
