/** The rules of a protected branch, as a whole and in parts. */
import type { Repository } from '../../../forge/access/repository.ts'
import type { App } from '../../../forge/apps/app.ts'
import { type BranchRules, contextsOf } from '../../../forge/commits/branch-rules.ts'
import type { TeamWithParent } from '../../../forge/people/team.ts'
import type { Person } from '../../../forge/person.ts'
import { presentApp } from '../apps/present-app.ts'
import { encodePath, placesOf } from '../git/present-git.ts'
import { presentUser } from '../people/present-people.ts'
import { presentTeam } from '../people/present-teams.ts'
import type { View } from '../view.ts'

/** `users`, `teams`, `apps`: those named by the restrictions. */
export type Protected = {
  readonly repository: Repository
  readonly branch: string
  readonly rules: BranchRules
  readonly users: readonly Person[]
  readonly teams: readonly TeamWithParent[]
  readonly apps: readonly App[]
}

export const protectionUrl = ({ repository, branch }: Pick<Protected, 'repository' | 'branch'>, view: View): string =>
  `${placesOf(repository, view).url}/branches/${encodePath(branch)}/protection`

export const presentEnforcement = (found: Protected, view: View) => ({
  url: `${protectionUrl(found, view)}/enforce_admins`,
  enabled: found.rules.enforcesAdmins,
})

export function presentReviewRules(found: Protected, view: View) {
  const { reviews } = found.rules
  return {
    url: `${protectionUrl(found, view)}/required_pull_request_reviews`,
    dismiss_stale_reviews: reviews?.dismissesStale ?? false,
    require_code_owner_reviews: reviews?.needsCodeOwners ?? false,
    required_approving_review_count: reviews?.approvals ?? 0,
    require_last_push_approval: reviews?.needsLastPushApproval ?? false,
  }
}

export function presentStatusChecks(found: Protected, view: View) {
  const url = `${protectionUrl(found, view)}/required_status_checks`
  const { statusChecks } = found.rules
  return {
    url,
    strict: statusChecks?.isStrict ?? false,
    contexts: contextsOf(found.rules),
    contexts_url: `${url}/contexts`,
    checks: statusChecks?.checks.map(({ context, appId }) => ({ context, app_id: appId })) ?? [],
  }
}

export function presentRestrictions(found: Protected, view: View) {
  const url = `${protectionUrl(found, view)}/restrictions`
  return {
    url,
    users_url: `${url}/users`,
    teams_url: `${url}/teams`,
    apps_url: `${url}/apps`,
    users: found.users.map((user) => presentUser(user, view)),
    teams: found.teams.map((team) => presentTeam(team, view)),
    apps: found.apps.map((app) => presentApp(app, view)),
  }
}

export function presentProtectedBranch(found: Protected, view: View) {
  const { rules } = found
  const url = protectionUrl(found, view)
  return {
    url,
    ...(rules.statusChecks && { required_status_checks: presentStatusChecks(found, view) }),
    ...(rules.reviews && { required_pull_request_reviews: presentReviewRules(found, view) }),
    ...(rules.restrictions && { restrictions: presentRestrictions(found, view) }),
    required_signatures: { url: `${url}/required_signatures`, enabled: false },
    enforce_admins: presentEnforcement(found, view),
    required_linear_history: { enabled: rules.needsLinearHistory },
    allow_force_pushes: { enabled: rules.allowsForcePushes },
    allow_deletions: { enabled: rules.allowsDeletions },
    block_creations: { enabled: rules.blocksCreations },
    required_conversation_resolution: { enabled: rules.needsResolvedConversations },
    lock_branch: { enabled: rules.isLocked },
    allow_fork_syncing: { enabled: rules.allowsForkSyncing },
  }
}

/** The summary beside a branch, for all its readers. */
export function presentProtection(repository: Repository, branch: string, rules: BranchRules | undefined, view: View) {
  const level = rules?.statusChecks ? (rules.enforcesAdmins ? 'everyone' : 'non_admins') : 'off'
  const checks = rules?.statusChecks?.checks.map(({ context, appId }) => ({ context, app_id: appId })) ?? []
  return {
    protection: {
      enabled: rules !== undefined,
      required_status_checks: { enforcement_level: level, contexts: rules ? contextsOf(rules) : [], checks },
    },
    protection_url: protectionUrl({ repository, branch }, view),
  }
}
