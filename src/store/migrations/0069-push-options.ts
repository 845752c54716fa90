/** The options of `git push -o`, for hooks. */
export const pushOptions = (): string[] => ['alter table push add column options text']
