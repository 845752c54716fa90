/** The reasons for notifications: the contract's words, and the effects of each. */

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

/** Of several reasons of one event the first of these counts; those that are not here count before them, as the event gave them. */
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

/** What names a user directly: it is kept, and later activity is delivered with it. */
const kept: ReadonlySet<Reason> = new Set(precedence.filter((reason) => reason !== 'subscribed'))
export const isKept = (reason: Reason): boolean => kept.has(reason)

const passive: ReadonlySet<Reason> = new Set([
  'subscribed',
  'ci_activity',
  'security_alert',
  'member_feature_requested',
])
export const isParticipating = (reason: Reason): boolean => !passive.has(reason)
