/** What a problem's checker or interactor said when it failed last, as JSON: its author is told on the problem's page. */
export const lastFaults = (): string[] => ['alter table problem add column last_fault text']
