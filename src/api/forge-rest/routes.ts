/** Every route of this API. A new one is declared beside its noun and added here. */

import type { Forge } from '../../forge/forge.ts'
import { onAccount } from '../../forge/git/process/processor-accounting.ts'
import type { Limits } from '../../forge/limits/limits.ts'
import { administrationRoutes } from './admin/administration-routes.ts'
import { externalNotificationRoutes } from './admin/external-notification-routes.ts'
import { importRoutes } from './admin/import-routes.ts'
import { adminKeyRoutes } from './admin/key-routes.ts'
import { lockoutRoutes } from './admin/lockout-routes.ts'
import { appRegistrationRoutes } from './apps/app-registration-routes.ts'
import { clientTokenRoutes } from './apps/client-token-routes.ts'
import { installationRoutes } from './apps/installation-routes.ts'
import { oauthAppRoutes } from './apps/oauth-app-routes.ts'
import { workflowRunRoutes } from './apps/workflow-run-routes.ts'
import { auditLogRoutes } from './audit/audit-log-routes.ts'
import { checkRunRoutes } from './checks/check-run-routes.ts'
import { checkSuiteRoutes } from './checks/check-suite-routes.ts'
import { commitCommentReactionRoutes, commitCommentRoutes } from './commits/commit-comment-routes.ts'
import { protectionRoutes } from './commits/protection-routes.ts'
import { statusRoutes } from './commits/status-routes.ts'
import { deploymentRoutes } from './deployments/deployment-routes.ts'
import { environmentRoutes } from './deployments/environment-routes.ts'
import { feedRoutes } from './feeds/feed-routes.ts'
import { archiveRoutes } from './git/archive-routes.ts'
import { branchWriteRoutes } from './git/branch-write-routes.ts'
import { codeOwnerRoutes } from './git/code-owner-routes.ts'
import { commitRoutes } from './git/commit-routes.ts'
import { contentRoutes } from './git/content-routes.ts'
import { contentWriteRoutes } from './git/content-write-routes.ts'
import { gitDataRoutes } from './git/git-data-routes.ts'
import { gitDataWriteRoutes } from './git/git-data-write-routes.ts'
import { headBranchRoutes } from './git/head-branch-routes.ts'
import { mergeUpstreamRoutes } from './git/merge-upstream-routes.ts'
import { wikiRoutes } from './git/wiki-routes.ts'
import { graphqlRoute } from './graphql/graphql-route.ts'
import { assigneeRoutes } from './issues/assignee-routes.ts'
import { blockRoutes } from './issues/block-routes.ts'
import { commentRoutes } from './issues/comment-routes.ts'
import { issueEventRoutes } from './issues/issue-event-routes.ts'
import { issueMarkRoutes } from './issues/issue-mark-routes.ts'
import { issueRelationRoutes } from './issues/issue-relation-routes.ts'
import { issueRoutes } from './issues/issue-routes.ts'
import { issueSubscriptionRoutes } from './issues/issue-subscription-routes.ts'
import { issueTransferRoutes } from './issues/issue-transfer-routes.ts'
import { labelRoutes } from './issues/label-routes.ts'
import { milestoneRoutes } from './issues/milestone-routes.ts'
import { issueReactionRoutes } from './issues/reaction-routes.ts'
import { timelineRoutes } from './issues/timeline-routes.ts'
import { makeBodyForms } from './markup/bodies.ts'
import { markdownRoutes } from './markup/markdown-routes.ts'
import { metaRoutes } from './meta/meta-routes.ts'
import { migrationRoutes } from './migrations/migration-routes.ts'
import { notificationRoutes } from './notifications/notification-routes.ts'
import { emailRoutes } from './people/email-routes.ts'
import { followingRoutes } from './people/following-routes.ts'
import { membershipRoutes } from './people/membership-routes.ts'
import { organisationRoutes } from './people/organisation-routes.ts'
import { signingKeyRoutes } from './people/signing-key-routes.ts'
import { sshKeyRoutes } from './people/ssh-key-routes.ts'
import { teamRoutes } from './people/team-routes.ts'
import { userRoutes } from './people/user-routes.ts'
import { autoMergeRoutes } from './pulls/auto-merge-routes.ts'
import { pullRoutes } from './pulls/pull-routes.ts'
import { reviewCommentReactionRoutes, reviewCommentRoutes } from './pulls/review-comment-routes.ts'
import { reviewRoutes } from './pulls/review-routes.ts'
import { assetRoutes } from './releases/asset-routes.ts'
import { attachmentRoutes } from './releases/attachment-routes.ts'
import { releaseReactionRoutes, releaseRoutes } from './releases/release-routes.ts'
import { autolinkRoutes } from './repositories/autolink-routes.ts'
import { collaboratorRoutes } from './repositories/collaborator-routes.ts'
import { dispatchRoutes } from './repositories/dispatch-routes.ts'
import { emptyListRoutes } from './repositories/empty-list-routes.ts'
import { forkRoutes } from './repositories/fork-routes.ts'
import { generateRoutes } from './repositories/generate-routes.ts'
import { invitationRoutes } from './repositories/invitation-routes.ts'
import { repositoryRoutes } from './repositories/repository-routes.ts'
import { sourceRoutes } from './repositories/source-routes.ts'
import { starRoutes } from './repositories/star-routes.ts'
import { starterRoutes } from './repositories/starter-routes.ts'
import { transferRoutes } from './repositories/transfer-routes.ts'
import { watchingRoutes } from './repositories/watching-routes.ts'
import type { AnswerGraphql, Route } from './route.ts'
import { searchRoutes } from './search/issue-search-routes.ts'
import { otherSearchRoutes } from './search/search-routes.ts'
import { credentialAuthorizationRoutes } from './single-sign-on/credential-authorization-routes.ts'
import { appHookRoutes } from './webhooks/app-hook-routes.ts'
import { webhookRoutes } from './webhooks/webhook-routes.ts'

type Needs = { forge: Forge; limits: Limits; answerGraphql: AnswerGraphql }

export function makeRoutes({ forge, limits, answerGraphql }: Needs): readonly Route[] {
  const withBodyForms = makeBodyForms(forge)
  const withGit = makeGitAccounting(limits)
  return [
    ...starterRoutes,
    ...metaRoutes({ limits, organisations: forge.organisations }),
    ...markdownRoutes(forge),
    ...userRoutes(forge),
    ...emailRoutes(forge),
    ...followingRoutes(forge),
    ...organisationRoutes(forge),
    ...membershipRoutes(forge),
    ...teamRoutes(forge),
    ...credentialAuthorizationRoutes(forge),
    ...repositoryRoutes(forge),
    ...transferRoutes(forge),
    ...sourceRoutes(forge),
    ...autolinkRoutes(forge),
    ...dispatchRoutes(forge),
    ...generateRoutes(forge).map(withGit),
    ...collaboratorRoutes(forge),
    ...invitationRoutes(forge),
    ...watchingRoutes(forge),
    ...starRoutes(forge),
    ...feedRoutes(forge),
    ...notificationRoutes(forge),
    ...[...pullRoutes(forge), ...autoMergeRoutes(forge), ...reviewRoutes(forge), ...reviewCommentRoutes(forge)]
      .map(withGit)
      .map(withBodyForms),
    ...reviewCommentReactionRoutes(forge),
    ...[...contentWriteRoutes(forge), ...gitDataWriteRoutes(forge), ...branchWriteRoutes(forge)].map(withGit),
    ...[...mergeUpstreamRoutes(forge), ...codeOwnerRoutes(forge), ...headBranchRoutes(forge)].map(withGit),
    ...[...checkRunRoutes(forge), ...checkSuiteRoutes(forge)].map(withGit),
    ...[...statusRoutes(forge), ...protectionRoutes(forge)].map(withGit),
    ...[...commitCommentRoutes(forge), ...releaseRoutes(forge)].map(withBodyForms).map(withGit),
    ...[...commitCommentReactionRoutes(forge), ...releaseReactionRoutes(forge)].map(withGit),
    ...[...assetRoutes(forge), ...attachmentRoutes(forge)].map(withGit),
    ...[...forkRoutes(forge), ...commitRoutes(forge), ...contentRoutes(forge), ...wikiRoutes(forge)].map(withGit),
    ...[...archiveRoutes(forge), ...gitDataRoutes(forge)].map(withGit),
    ...[...issueRoutes(forge), ...issueEventRoutes(forge), ...commentRoutes(forge)].map(withBodyForms),
    ...issueSubscriptionRoutes(forge),
    ...issueTransferRoutes(forge).map(withBodyForms),
    ...timelineRoutes(forge).map(withGit).map(withBodyForms),
    ...issueReactionRoutes(forge),
    ...issueRelationRoutes(forge),
    ...searchRoutes(forge).map(withBodyForms),
    ...otherSearchRoutes(forge).map(withGit),
    ...issueMarkRoutes(forge),
    ...blockRoutes(forge),
    ...labelRoutes(forge),
    ...milestoneRoutes(forge),
    ...assigneeRoutes(forge),
    ...appRegistrationRoutes(forge),
    ...oauthAppRoutes(forge),
    ...clientTokenRoutes(forge),
    ...installationRoutes(forge),
    ...workflowRunRoutes(forge),
    ...migrationRoutes(forge),
    ...administrationRoutes(forge),
    ...lockoutRoutes(forge),
    ...adminKeyRoutes(forge),
    ...importRoutes(forge),
    ...externalNotificationRoutes(forge),
    ...webhookRoutes(forge),
    ...appHookRoutes(forge),
    ...auditLogRoutes(forge),
    ...deploymentRoutes(forge).map(withGit),
    ...environmentRoutes(forge),
    ...emptyListRoutes(forge),
    ...sshKeyRoutes(forge),
    ...signingKeyRoutes(forge).map(withGit),
    withGit(graphqlRoute(answerGraphql)),
  ]
}

/** Charges git processes to the caller, including those that run while the response is sent. */
const makeGitAccounting =
  (limits: Limits) =>
  (route: Route): Route => ({
    ...route,
    async handle(call) {
      const account = {
        caller: call.caller.key,
        bill: (micros: number) => limits.bill(call.caller, micros, route.charge.resource),
      }
      const answer = await onAccount(account, () => route.handle(call))
      const { raw } = answer
      if (typeof raw?.bytes !== 'function') return answer
      const open = raw.bytes
      return { ...answer, raw: { ...raw, bytes: () => onAccount(account, open) } }
    },
  })
