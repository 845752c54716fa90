/** Decides who is notified of an act, and why. Pure: from an act and a person's standing to an outcome. */
import type { SubscriptionState } from '../../../store/schema/notification-tables.ts'
import { chooseReason, isKept, type Reason } from './reasons.ts'

/** What a person has to do with a subject and its repository, before the act. */
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
  /** What the act makes of its actor: they wrote the thing, commented on it, changed its state. */
  readonly own?: Reason | undefined
  /** Why the act names this person. */
  readonly named: readonly Reason[]
  /** Whether it is for watchers and subscribers, or for those alone whom it names. */
  readonly reach: 'everyone' | 'named'
}

export type Outcome = {
  readonly subscription: SubscriptionState
  readonly storedReason: Reason | null
  /** Undefined: nothing is delivered. */
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

  // Nobody is told of what they do; but it makes them part of the thread.
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
