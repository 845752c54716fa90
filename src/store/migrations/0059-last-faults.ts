/**
 * The latest message of a problem's failed checker or interactor, as JSON: shown to its author on the problem's page.
 */
export const lastFaults = (): string[] => ['alter table problem add column last_fault text']
