/**
 * Slots for requests under way. Owners without a slot come first; a second slot needs half of all to be free. Owners
 * whose receivers were slow lately get one slot each and half of all together, so that others always find one. Among an
 * owner's waiting hooks the one served least is next: a slow receiver does not stop quick ones.
 */
import { makeFairScheduler } from '../../../lib/scheduling/fair-scheduler.ts'
import type { WebhookLimits } from '../webhook-limits.ts'

type Bounds = Pick<WebhookLimits, 'sentAtOnce' | 'sentAtOncePerHost' | 'sentAtOncePerOwner'>

/** How much slow time within about a minute makes an owner slow. */
const slowMs = 5_000
/** Calls up to this long are not slow, however many there are. */
const quickMs = 1_000
/** After this wait the job comes back later, because it blocks others meanwhile. */
const maxWaitMs = 5_000

export type SendingSlot = {
  /** `tookMs`: how long receivers took to answer. */
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
    /** Enough jobs for all slots and the whole queue, and some more for owners in neither. */
    mostJobs: sentAtOnce + queue + sentAtOnce,

    /** Waits a little if no slot is free; fails with `busy` if too many wait. */
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
