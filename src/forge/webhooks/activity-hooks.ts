/** Queues webhook deliveries for activity: each act that any hook listens to, once. */
import type { Clock } from '../../lib/clock.ts'
import type { HookConsumer } from '../activity/activity.ts'
import { namesOfHookKinds, placesOf, toHookEvents } from './hook-event.ts'
import type { Queueing } from './queue/queueing.ts'

export const makeActivityHooks = ({ queueing, clock }: { queueing: Queueing; clock: Clock }): HookConsumer => ({
  async consume(trx, activity) {
    for (const place of placesOf(activity, activity.createdAt.getTime()))
      await queueing.queueEvents(trx, () => toHookEvents(trx, activity, place), place)
  },

  async hasListener(trx, recorded) {
    const names = namesOfHookKinds[recorded.kind]
    for (const place of placesOf(recorded, clock.now())) if (await queueing.hasListeners(trx, place, names)) return true
    return false
  },
})
