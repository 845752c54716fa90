/** The head that brought what a pull counts: once git has done away with it, it counts no longer. */
export const broughtHeads = (): string[] => ['alter table pull_usage add column sha text']
