/** Every route of this wire. A new one is declared beside its noun and joins here. */
import { billed } from '../../forge/git/billing.ts'
import type { Route } from './route.ts'
import { administrationRoutes } from './routes/administration.ts'
import { archiveRoutes } from './routes/archives.ts'
import { collaboratorRoutes } from './routes/collaborators.ts'
import { commitRoutes } from './routes/commits.ts'
import { contentRoutes } from './routes/contents.ts'
import { emptyListRoutes } from './routes/empty-lists.ts'
import { gitDataRoutes } from './routes/git-data.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { membershipRoutes } from './routes/memberships.ts'
import { metaRoutes } from './routes/meta.ts'
import { organisationRoutes } from './routes/organisations.ts'
import { repositoryRoutes } from './routes/repositories.ts'
import { teamRoutes } from './routes/teams.ts'
import { userRoutes } from './routes/users.ts'
import { watchingRoutes } from './routes/watching.ts'

export const routes: readonly Route[] = [
  ...metaRoutes,
  ...userRoutes,
  ...organisationRoutes,
  ...membershipRoutes,
  ...teamRoutes,
  ...repositoryRoutes,
  ...collaboratorRoutes,
  ...invitationRoutes,
  ...watchingRoutes,
  ...[...commitRoutes, ...contentRoutes, ...archiveRoutes, ...gitDataRoutes].map(withGit),
  ...administrationRoutes,
  ...emptyListRoutes,
]

/** What git's processes take is on the caller's account, too. */
function withGit(route: Route): Route {
  return {
    ...route,
    handle: (call) =>
      billed(
        (micros) => call.limits.bill(call.caller, micros),
        () => route.handle(call),
      ),
  }
}
