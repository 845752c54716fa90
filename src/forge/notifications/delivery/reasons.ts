/** The reasons for notifications, in the contract's words, with the effects of each. */

export const reasons = [
  'approval_requested',
  'assign',
  'author',
  'ci_activity',
  'comment',
  'invitation',
  'manual',
  'member_feature_requested',
  'mention',
  'review_requested',
  'security_advisory_credit',
  'security_alert',
  'state_change',
  'subscribed',
  'team_mention',
] as const
export type Reason = (typeof reasons)[number]

/**
 * If an event gives several reasons, the first in this list counts. Reasons that are not listed come before all of
 * these, in the event's order.
 */
const precedence: readonly Reason[] = [
  'mention',
  'team_mention',
  'assign',
  'review_requested',
  'author',
  'comment',
  'state_change',
  'manual',
  'subscribed',
]

export const chooseReason = (several: Iterable<Reason>): Reason | undefined =>
  [...several].sort((a, b) => precedence.indexOf(a) - precedence.indexOf(b))[0]

/** Reasons that name a user directly: they are stored, and later activity is delivered with them. */
const kept: ReadonlySet<Reason> = new Set(precedence.filter((reason) => reason !== 'subscribed'))
export const isKept = (reason: Reason): boolean => kept.has(reason)

const passive: ReadonlySet<Reason> = new Set([
  'subscribed',
  'ci_activity',
  'security_alert',
  'member_feature_requested',
])
export const isParticipating = (reason: Reason): boolean => !passive.has(reason)
