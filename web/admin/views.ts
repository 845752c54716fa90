/** The views for admins. */
export { Accounts } from './accounts.tsx'
export { Audit } from './audit.tsx'
export { Judging } from './judging.tsx'
export { Organisations } from './organisations.tsx'
export { Settings } from './settings.tsx'
