/** The jury's views of a contest. */
export { ContestResolver } from '../resolver/resolver.tsx'
export { ManageProblems } from './problems.tsx'
export { ManageRejudging, ManageRejudgings } from './rejudgings.tsx'
export { ManageRun } from './run.tsx'
export { ManageSettings, NewContest } from './settings.tsx'
export { ManageStatistics } from './statistics.tsx'
export { ManageTeams } from './teams.tsx'
