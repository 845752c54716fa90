/** The views for admins. */
export { Accounts } from './accounts.tsx'
export { Judging } from './judging.tsx'
export { Settings } from './settings.tsx'
