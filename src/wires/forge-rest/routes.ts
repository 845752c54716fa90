/** Every route of this wire. A new one is declared beside its noun and joins here. */
import { onAccount } from '../../forge/git/processor-accounting.ts'
import { administrationRoutes } from './admin/administration.ts'
import { importRoutes } from './admin/imports.ts'
import { lockoutRoutes } from './admin/lockouts.ts'
import { externalNotificationRoutes } from './admin/notifications.ts'
import { clientTokenRoutes } from './apps/client-tokens.ts'
import { installationRoutes } from './apps/installations.ts'
import { oauthAppRoutes } from './apps/oauth-apps.ts'
import { appRegistrationRoutes } from './apps/registration.ts'
import { workflowRunRoutes } from './apps/workflow-runs.ts'
import { auditLogRoutes } from './audit/audit-log.ts'
import { codeRoutes } from './commits/routes.ts'
import { feedRoutes } from './feeds/feeds.ts'
import { archiveRoutes } from './git/archives.ts'
import { commitRoutes } from './git/commits.ts'
import { contentRoutes } from './git/contents.ts'
import { gitDataRoutes } from './git/git-data.ts'
import { graphqlRoute } from './graphql/graphql.ts'
import { assigneeRoutes } from './issues/assignees.ts'
import { blockRoutes } from './issues/blocks.ts'
import { commentRoutes } from './issues/comments.ts'
import { issueEventRoutes } from './issues/events.ts'
import { issuePlaceRoutes } from './issues/issue-places.ts'
import { issueRoutes } from './issues/issues.ts'
import { labelRoutes } from './issues/labels.ts'
import { issueMarkRoutes } from './issues/marks.ts'
import { milestoneRoutes } from './issues/milestones.ts'
import { issueReactionRoutes } from './issues/reactions.ts'
import { issueRelationRoutes } from './issues/relations.ts'
import { timelineRoutes } from './issues/timeline.ts'
import { withBodyForms } from './markup/bodies.ts'
import { markdownRoutes } from './markup/markdown.ts'
import { metaRoutes } from './meta/meta.ts'
import { migrationRoutes } from './migrations/migrations.ts'
import { notificationRoutes } from './notifications/notifications.ts'
import { followingRoutes } from './people/following.ts'
import { membershipRoutes } from './people/memberships.ts'
import { organisationRoutes } from './people/organisations.ts'
import { teamRoutes } from './people/teams.ts'
import { userRoutes } from './people/users.ts'
import { pullRoutes } from './pulls/pulls.ts'
import { reviewCommentReactionRoutes, reviewCommentRoutes } from './pulls/review-comments.ts'
import { reviewRoutes } from './pulls/reviews.ts'
import { collaboratorRoutes } from './repositories/collaborators.ts'
import { emptyListRoutes } from './repositories/empty-lists.ts'
import { forkRoutes } from './repositories/forks.ts'
import { invitationRoutes } from './repositories/invitations.ts'
import { repositoryRoutes } from './repositories/repositories.ts'
import { starRoutes } from './repositories/stars.ts'
import { watchingRoutes } from './repositories/watching.ts'
import type { Route } from './route.ts'
import { searchRoutes } from './search/issues.ts'
import { otherSearchRoutes } from './search/routes.ts'
import { credentialAuthorizationRoutes } from './single-sign-on/credential-authorizations.ts'
import { appHookRoutes } from './webhooks/app-hooks.ts'
import { webhookRoutes } from './webhooks/webhooks.ts'

export const routes: readonly Route[] = [
  ...metaRoutes,
  ...markdownRoutes,
  ...userRoutes,
  ...followingRoutes,
  ...organisationRoutes,
  ...membershipRoutes,
  ...teamRoutes,
  ...credentialAuthorizationRoutes,
  ...repositoryRoutes,
  ...collaboratorRoutes,
  ...invitationRoutes,
  ...watchingRoutes,
  ...starRoutes,
  ...feedRoutes,
  ...notificationRoutes,
  ...[...pullRoutes, ...reviewRoutes, ...reviewCommentRoutes].map(withGit).map(withBodyForms),
  ...reviewCommentReactionRoutes,
  ...codeRoutes.map(withGit),
  ...[...forkRoutes, ...commitRoutes, ...contentRoutes, ...archiveRoutes, ...gitDataRoutes].map(withGit),
  ...[...issueRoutes, ...issueEventRoutes, ...commentRoutes, ...issuePlaceRoutes].map(withBodyForms),
  ...timelineRoutes.map(withGit).map(withBodyForms),
  ...issueReactionRoutes,
  ...issueRelationRoutes,
  ...searchRoutes.map(withBodyForms),
  ...otherSearchRoutes.map(withGit),
  ...issueMarkRoutes,
  ...blockRoutes,
  ...labelRoutes,
  ...milestoneRoutes,
  ...assigneeRoutes,
  ...appRegistrationRoutes,
  ...oauthAppRoutes,
  ...clientTokenRoutes,
  ...installationRoutes,
  ...workflowRunRoutes,
  ...migrationRoutes,
  ...administrationRoutes,
  ...lockoutRoutes,
  ...importRoutes,
  ...externalNotificationRoutes,
  ...webhookRoutes,
  ...appHookRoutes,
  ...auditLogRoutes,
  ...emptyListRoutes,
  withGit(graphqlRoute),
]

/** Git's processes are on the caller's account, those that make an answer while it is sent as well. */
function withGit(route: Route): Route {
  return {
    ...route,
    async handle(call) {
      const account = {
        caller: call.caller.key,
        bill: (micros: number) => call.limits.bill(call.caller, micros, route.charge.resource),
      }
      const answer = await onAccount(account, () => route.handle(call))
      const { raw } = answer
      if (typeof raw?.bytes !== 'function') return answer
      const open = raw.bytes
      return { ...answer, raw: { ...raw, bytes: () => onAccount(account, open) } }
    },
  }
}
