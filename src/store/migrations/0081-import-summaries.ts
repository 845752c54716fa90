/** What an import of an archive brings and leaves out. */
export const importSummaries = (): string[] => ['alter table migration_import add column summary text']
