/** What pushes came with, told to hooks. */
export const pushOptions = (): string[] => ['alter table push add column options text']
