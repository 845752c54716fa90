/**
 * Slots for requests on their way. Whoever has none comes first: a second one is had only while half of all are free. Owners
 * whose receivers were slow of late have one each, and half of all together, so that the others find room whatever they do.
 * Of one owner's hooks that want a slot, the one that had the least of them is next: a slow receiver does not stop quick ones.
 */
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import type { WebhookLimits } from '../webhook-limits.ts'

type Bounds = Pick<WebhookLimits, 'sentAtOnce' | 'sentAtOncePerHost' | 'sentAtOncePerOwner'>

/** Within a minute or so, beyond what quick receivers take. */
const slowMs = 5_000
/** What a quick receiver takes is no sign of a slow one, however often it is called. */
const quickMs = 1_000
/** Whoever waits longer comes back later: its job is in the way of others meanwhile. */
const maxWaitMs = 5_000

export type SendingSlot = {
  /** `tookMs`: how long receivers were waited for. */
  leave(tookMs: number): void
}

export type SendingSlots = ReturnType<typeof makeSendingSlots>

export function makeSendingSlots({ sentAtOnce, sentAtOncePerHost, sentAtOncePerOwner }: Bounds) {
  const half = Math.ceil(sentAtOnce / 2)
  const queue = 2 * sentAtOnce
  const scheduler = makeFairScheduler({
    slots: sentAtOnce,
    slotsPerCaller: sentAtOncePerOwner,
    slotsPerGroup: sentAtOncePerHost,
    reserve: sentAtOnce - half,
    heavy: { afterMs: slowMs, slots: half, slotsPerCaller: 1 },
    queuePerCaller: sentAtOncePerOwner,
    queue,
    maxWaitMs,
    what: 'webhooks to be called',
  })

  return {
    /** With so many jobs, those that have a slot and those that wait leave some for an owner who has neither. */
    mostJobs: sentAtOnce + queue + sentAtOnce,

    /** Waits a little where there is none; fails as busy where too many wait. */
    async enter(host: string, owner: number, hook: number, signal?: AbortSignal): Promise<SendingSlot> {
      const slot = await scheduler.take(String(owner), { member: String(hook), group: host, signal })
      return {
        leave(tookMs) {
          slot.countUsed(tookMs > quickMs ? tookMs : 0)
          slot.release()
        },
      }
    },
  }
}
