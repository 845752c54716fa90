/** The views for admins. */
export { Accounts } from './accounts.tsx'
export { Settings } from './settings.tsx'
