/** The views of organisations. */
export { OrganisationView } from './organisation.tsx'
export { TeamView } from './team.tsx'
