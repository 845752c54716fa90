/** The head with which a pull's counted size came: once git has deleted it, the size no longer counts. */
export const broughtHeads = (): string[] => ['alter table pull_usage add column sha text']
