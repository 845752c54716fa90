/** The views of pulls. */
export { PullChecksView } from './checks.tsx'
export { PullCommitsView } from './commits.tsx'
export { PullView } from './conversation.tsx'
export { PullFilesView } from './files.tsx'
export { NewPullView } from './new-pull.tsx'
