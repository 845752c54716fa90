/** The views of organisations. */
export { NewOrganisation } from './new-organisation.tsx'
export { OrganisationView } from './organisation.tsx'
export { TeamView } from './team.tsx'
