/** The commit that a student's copy of a template began with: what is still as it was there is nobody's work. */
export const copiedCommits = (): string[] => ['alter table sheet_copy add column first_commit text']
