/** The views of classes. */
export { ClassResultsView } from './class-results.tsx'
export { ClassSettings } from './class-settings.tsx'
export { ClassSheets } from './class-sheets.tsx'
export { Classes } from './classes.tsx'
export { ImportRoster } from './import-roster.tsx'
export { Members } from './members.tsx'
