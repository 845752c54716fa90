/** Queues webhook deliveries for activity: each act that any hook listens to, once. */
import type { Clock } from '../../lib/clock.ts'
import type { HookConsumer } from '../activity/activity.ts'
import { namesOfHookKinds, placesOf, toHookEvents } from './hook-event.ts'
import type { Queueing } from './queue/queueing.ts'

export const makeActivityHooks = ({ queueing, clock }: { queueing: Queueing; clock: Clock }): HookConsumer => ({
  async tell(trx, told) {
    for (const place of placesOf(told, told.createdAt.getTime()))
      await queueing.tell(trx, () => toHookEvents(trx, told, place), place)
  },

  async mayHear(trx, recorded) {
    const names = namesOfHookKinds[recorded.kind]
    for (const place of placesOf(recorded, clock.now())) if (await queueing.mayHear(trx, place, names)) return true
    return false
  },
})
