/** Decides who is notified of an act, and why. Pure: maps an act and a person's standing to an outcome. */
import type { SubscriptionState } from '../../../store/schema/notification-tables.ts'
import { chooseReason, isKept, type Reason } from './reasons.ts'

/** A person's relation to a subject and its repository before the act. */
export type Standing = {
  readonly mayRead: boolean
  /** Suspended, or blocked by the organisation that owns the repository. */
  readonly isExcluded: boolean
  readonly watching: 'none' | 'watching' | 'ignoring'
  readonly subscription: SubscriptionState
  readonly storedReason: Reason | null
}

export type ActForPerson = {
  readonly isActor: boolean
  /** The actor's part in the act: author, commenter, or changer of its state. */
  readonly own?: Reason | undefined
  /** The reasons for which the act names this person. */
  readonly named: readonly Reason[]
  /** Whether the act goes to watchers and subscribers, or only to the people it names. */
  readonly reach: 'everyone' | 'named'
}

export type Outcome = {
  readonly subscription: SubscriptionState
  readonly storedReason: Reason | null
  /** Undefined if nothing is delivered. */
  readonly delivered: Reason | undefined
}

export function decideOutcome(act: ActForPerson, standing: Standing): Outcome {
  const { subscription, storedReason } = standing
  const unchanged: Outcome = { subscription, storedReason, delivered: undefined }
  const subscribed = (reason: Reason, delivered?: Reason): Outcome => ({
    subscription: 'subscribed',
    storedReason: reason,
    delivered,
  })
  const isQuiet = subscription === 'ignored' || subscription === 'muted'

  // Nobody is notified of their own acts, but an act makes its actor a participant.
  if (act.isActor) {
    const own = chooseReason([...act.named.filter((reason) => reason === 'assign'), ...(act.own ? [act.own] : [])])
    if (!own) return unchanged
    return isQuiet && act.own !== 'comment' && act.own !== 'author' ? unchanged : subscribed(own)
  }
  if (!standing.mayRead || standing.isExcluded || standing.watching === 'ignoring') return unchanged

  const isMentioned = act.named.includes('mention')
  if (isQuiet && !isMentioned) {
    const isWatched = subscription === 'muted' && standing.watching === 'watching' && act.reach === 'everyone'
    return isWatched ? { ...unchanged, delivered: 'subscribed' } : unchanged
  }
  const named = chooseReason(act.named)
  if (named) return isKept(named) ? subscribed(named, named) : { ...unchanged, delivered: named }
  if (act.reach === 'named') return unchanged
  if (subscription === 'subscribed') return { ...unchanged, delivered: storedReason ?? 'manual' }
  return standing.watching === 'watching' ? { ...unchanged, delivered: 'subscribed' } : unchanged
}
