/** Request bodies of branch protection rules, and their translation into rules. */
import type { Static } from 'typebox'
import {
  type BranchRules,
  noRules,
  type Restrictions,
  type ReviewRules,
  type StatusChecks,
} from '../../../forge/commits/branch-rules.ts'
import { invalidField } from '../../../forge/failures.ts'
import { Flag, List, Optional, Shape, Text, Type } from '../schemas.ts'

const maxContexts = 100
const Context = Text(255, 1)
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const NullableFlag = Optional(Nullable(Flag))

const CheckBody = Shape({
  context: Context,
  app_id: Optional(Nullable(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }))),
})

export const StatusChecksBody = Shape({
  strict: Optional(Flag),
  contexts: Optional(Nullable(List(Context, { maxItems: maxContexts }))),
  checks: Optional(Nullable(List(CheckBody, { maxItems: maxContexts }))),
})

const Names = List(Text(100), { maxItems: 100 })
const Allowances = Optional(Shape({ users: Optional(Names), teams: Optional(Names), apps: Optional(Names) }))

export const ReviewsBody = Shape({
  dismissal_restrictions: Allowances,
  dismiss_stale_reviews: Optional(Flag),
  require_code_owner_reviews: Optional(Flag),
  required_approving_review_count: Optional(Type.Integer({ minimum: 0, maximum: 6 })),
  require_last_push_approval: Optional(Flag),
  bypass_pull_request_allowances: Allowances,
})

export const RestrictionsBody = Shape({ users: Names, teams: Names, apps: Optional(Names) })

export const ProtectionBody = Shape({
  required_status_checks: Nullable(StatusChecksBody),
  enforce_admins: Nullable(Flag),
  required_pull_request_reviews: Nullable(ReviewsBody),
  restrictions: Nullable(RestrictionsBody),
  required_linear_history: NullableFlag,
  allow_force_pushes: NullableFlag,
  allow_deletions: NullableFlag,
  block_creations: NullableFlag,
  required_conversation_resolution: NullableFlag,
  lock_branch: NullableFlag,
  allow_fork_syncing: NullableFlag,
})

/** `checks` is the newer form of `contexts`, and wins if both are sent. */
export function readStatusChecks(given: Static<typeof StatusChecksBody>, before?: StatusChecks | null): StatusChecks {
  const { strict = before?.isStrict ?? false, contexts, checks } = given
  const named = checks?.map(({ context, app_id }) => ({ context, appId: app_id == null || app_id < 0 ? null : app_id }))
  const all = named ?? contexts?.map((context) => ({ context, appId: null })) ?? before?.checks ?? []
  const unique = new Map(all.map((check) => [check.context, check]))
  return { isStrict: strict, checks: [...unique.values()] }
}

export function readReviews(given: Static<typeof ReviewsBody>, before?: ReviewRules | null): ReviewRules {
  const names = [given.dismissal_restrictions, given.bypass_pull_request_allowances].flatMap((each) => [
    ...(each?.users ?? []),
    ...(each?.teams ?? []),
    ...(each?.apps ?? []),
  ])
  if (names.length > 0)
    throw invalidField('required_pull_request_reviews', 'invalid', 'Allowances for some people are not kept here.')
  refuseUnkept('require_last_push_approval', given.require_last_push_approval)
  return {
    approvals: given.required_approving_review_count ?? before?.approvals ?? 1,
    dismissesStale: given.dismiss_stale_reviews ?? before?.dismissesStale ?? false,
    needsCodeOwners: given.require_code_owner_reviews ?? before?.needsCodeOwners ?? false,
    needsLastPushApproval: given.require_last_push_approval ?? before?.needsLastPushApproval ?? false,
  }
}

/** A rule that is not enforced here is refused: the caller must be able to rely on it. */
function refuseUnkept(field: string, value: boolean | null | undefined): void {
  if (value) throw invalidField(field, 'invalid', `${field} is not kept here: leave it out, or send false.`)
}

/** `restrictions`: the named accounts and teams, by id. */
export function readRules(given: Static<typeof ProtectionBody>, restrictions: Restrictions): BranchRules {
  const checks = given.required_status_checks
  const reviews = given.required_pull_request_reviews
  refuseUnkept('required_conversation_resolution', given.required_conversation_resolution)
  return {
    ...noRules,
    enforcesAdmins: given.enforce_admins ?? false,
    allowsForcePushes: given.allow_force_pushes ?? false,
    allowsDeletions: given.allow_deletions ?? false,
    isLocked: given.lock_branch ?? false,
    needsLinearHistory: given.required_linear_history ?? false,
    needsResolvedConversations: given.required_conversation_resolution ?? false,
    blocksCreations: given.block_creations ?? false,
    allowsForkSyncing: given.allow_fork_syncing ?? false,
    statusChecks: checks && readStatusChecks(checks),
    reviews: reviews && readReviews(reviews),
    restrictions: given.restrictions && restrictions,
  }
}
