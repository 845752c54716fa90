/** The rules of a protected branch, and how pushes and merges are checked against them. Reads and writes nothing. */
import type { RefChange } from '../git/push/ref-change.ts'
import { zeroId } from '../git/ref-name.ts'

export type BranchRules = {
  /** Whether the rules bind admins of the repository, too. */
  readonly enforcesAdmins: boolean
  readonly allowsForcePushes: boolean
  readonly allowsDeletions: boolean
  readonly isLocked: boolean
  readonly needsLinearHistory: boolean
  readonly needsResolvedConversations: boolean
  readonly blocksCreations: boolean
  readonly allowsForkSyncing: boolean
  readonly statusChecks: StatusChecks | null
  readonly reviews: ReviewRules | null
  /** The accounts, teams (with their subteams) and apps that may push at all, by id. */
  readonly restrictions: Restrictions | null
}

export type Restrictions = {
  readonly users: readonly number[]
  readonly teams?: readonly number[]
  readonly apps?: readonly number[]
}

export type StatusChecks = {
  /** The merged branch must contain all of this one. */
  readonly isStrict: boolean
  readonly checks: readonly { readonly context: string; readonly appId: number | null }[]
}

export type ReviewRules = {
  readonly approvals: number
  readonly dismissesStale: boolean
  readonly needsCodeOwners: boolean
  readonly needsLastPushApproval: boolean
}

export const noRules: BranchRules = {
  enforcesAdmins: false,
  allowsForcePushes: false,
  allowsDeletions: false,
  isLocked: false,
  needsLinearHistory: false,
  needsResolvedConversations: false,
  blocksCreations: false,
  allowsForkSyncing: false,
  statusChecks: null,
  reviews: null,
  restrictions: null,
}

export const checksOf = ({ statusChecks }: BranchRules) => statusChecks?.checks ?? []

export const contextsOf = ({ statusChecks }: BranchRules): string[] =>
  statusChecks?.checks.map(({ context }) => context) ?? []

/** The facts about the pusher that the rules need. */
export type Pusher = {
  readonly id: number
  readonly isAdmin: boolean
  /** The teams among the restrictions' that they are in. */
  readonly teams: readonly number[]
  /** The app, if it acts as itself. */
  readonly appId: number | null
}

const mayPush = (restrictions: Restrictions | null, { id, teams, appId }: Pusher): boolean => {
  if (!restrictions || restrictions.users.includes(id) || teams.length > 0) return true
  return appId !== null && restrictions.apps?.includes(appId) === true
}

/** Rules on deletion and lost commits bind everybody; the others bind admins only if `enforcesAdmins` is set. */
const isBound = ({ enforcesAdmins }: BranchRules, { isAdmin }: Pusher): boolean => enforcesAdmins || !isAdmin

/** Why the change is refused; undefined if allowed. `missing`: required contexts without a success for the commit. */
export function findPushFault(
  rules: BranchRules,
  pusher: Pusher,
  { before, after }: RefChange,
  missing: readonly string[],
): string | undefined {
  if (after === zeroId) return rules.allowsDeletions ? undefined : 'Cannot delete this protected branch.'
  if (before !== zeroId) return findMoveFault(rules, pusher, missing)
  if (!isBound(rules, pusher)) return undefined
  if (rules.isLocked) return lockedFault
  return !mayPush(rules.restrictions, pusher) && rules.blocksCreations ? pushFault : undefined
}

/** Why a new commit, which no check has passed yet, may not be put on the branch; undefined if it may. */
export const findCommitFault = (rules: BranchRules, pusher: Pusher): string | undefined =>
  findMoveFault(rules, pusher, contextsOf(rules))

function findMoveFault(rules: BranchRules, pusher: Pusher, missing: readonly string[]): string | undefined {
  if (!isBound(rules, pusher)) return undefined
  if (rules.isLocked) return lockedFault
  if (!mayPush(rules.restrictions, pusher)) return pushFault
  if (rules.reviews) return 'Changes must be made through a pull request.'
  return describeMissing(missing)
}

const lockedFault = 'This branch is locked: it is read-only.'
const pushFault = 'You are not allowed to push to this branch.'

/** Whether a move of the branch may not drop any of its commits. */
export const keepsCommits = (rules: BranchRules, { before, after }: RefChange): boolean =>
  !rules.allowsForcePushes && before !== zeroId && after !== zeroId

/** Whether a move of the branch may not bring merge commits. */
export const keepsLinear = (rules: BranchRules, pusher: Pusher, { after }: RefChange): boolean =>
  rules.needsLinearHistory && after !== zeroId && isBound(rules, pusher)

export type Merge = {
  readonly approvals: number
  /** Approvals given to the commit that is being merged, not to an earlier one. */
  readonly currentApprovals: number
  readonly hasChangesRequested: boolean
  /** Whether code owners of its files have not approved it; by approvals of its newest commit alone, if that is asked. */
  lacksOwners(isCurrent: boolean): Promise<boolean>
  /** Whether the head contains all of the base. */
  readonly isUpToDate: boolean
  readonly method: 'merge' | 'squash' | 'rebase'
}

export type MergeCase = Merge & { readonly headSha: string }
/** What has not said yet that the merge is fine: contexts, and code owners. */
export type Missing = { readonly contexts: readonly string[]; readonly owners: boolean }
export type MergeStanding = 'blocked' | 'behind' | 'unstable' | 'clean'

/** Everything that stands against a merge into the branch, in sentences; empty if it may be merged. */
export function listMergeFaults(rules: BranchRules, pusher: Pusher, merge: Merge, missing: Missing): readonly string[] {
  if (!isBound(rules, pusher)) return []
  const { restrictions } = rules
  return [
    ...(!mayPush(restrictions, pusher) ? [pushFault] : []),
    ...listFaults(rules, merge, missing),
    ...(isBehind(rules, merge) ? ['The head branch is not up to date with the base branch.'] : []),
  ]
}

/** Whether the head must take in commits of the branch first. */
export const isBehind = ({ statusChecks }: BranchRules, { isUpToDate }: Pick<Merge, 'isUpToDate'>): boolean =>
  statusChecks?.isStrict === true && !isUpToDate

/** The faults of the merge, whoever merges it. Missing commits of the branch are not included: see isBehind. */
export function listFaults(rules: BranchRules, merge: Merge, missing: Missing): readonly string[] {
  const { reviews } = rules
  const approvals = countApprovals(rules, merge)
  const reasons = [
    rules.isLocked && lockedFault,
    reviews && merge.hasChangesRequested && 'Changes were requested by a reviewer.',
    reviews &&
      approvals < reviews.approvals &&
      `At least ${reviews.approvals} approving ${reviews.approvals === 1 ? 'review is' : 'reviews are'} required by reviewers with write access.`,
    rules.needsLinearHistory && merge.method === 'merge' && 'This branch must not contain merge commits.',
    missing.owners && 'Waiting on code owner review.',
    describeMissing(missing.contexts),
  ]
  return reasons.filter((reason) => typeof reason === 'string')
}

export type Opinions = Pick<Merge, 'approvals' | 'currentApprovals' | 'hasChangesRequested' | 'lacksOwners'>

const countApprovals = (rules: BranchRules | undefined, { approvals, currentApprovals }: Opinions): number =>
  rules?.reviews?.dismissesStale ? currentApprovals : approvals

export type ReviewDecision = 'approved' | 'changes_requested' | 'review_required'

/** The reviewers' decision; undefined if there is none and none is required. */
export function decideReviews(
  rules: BranchRules | undefined,
  opinions: Opinions,
  lacksOwners: boolean,
): ReviewDecision | undefined {
  const wanted = rules?.reviews?.approvals ?? 0
  if (opinions.hasChangesRequested) return 'changes_requested'
  if (lacksOwners) return 'review_required'
  if (countApprovals(rules, opinions) >= Math.max(1, wanted)) return 'approved'
  return wanted > 0 ? 'review_required' : undefined
}

function describeMissing(missing: readonly string[]): string | undefined {
  const [first] = missing
  if (first === undefined) return undefined
  if (missing.length > 1) return `${missing.length} of the required status checks have not succeeded.`
  return `Required status check "${first}" is expected.`
}
