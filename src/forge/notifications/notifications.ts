/** Notifications: the room's parts, made once and tied. */
import type { Clock } from '../../base/clock.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Store } from '../../store/store.ts'
import type { Opening } from '../access/opening.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { noteAccessChanges } from './access-changes.ts'
import { makeDelivery } from './delivery.ts'
import { makeExternalDelivery } from './external.ts'
import { makeInbox } from './inbox.ts'
import { makeInboxChanges } from './inbox-changes.ts'
import { makeMarking } from './marking.ts'
import { makeInboxStreams } from './streams.ts'
import { makeSubmissionDelivery } from './submissions.ts'
import { makeThreadSubscriptions } from './subscriptions.ts'
import { makeVisibility } from './visibility.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  activity: ActivityRecord
  opening: Opening
  /** More threads than this are marked as read in the background. */
  markedAtOnce: number
}

export type Notifications = ReturnType<typeof makeNotifications>

export function makeNotifications({ store, clock, jobs, activity, opening, markedAtOnce }: Needs) {
  const changes = makeInboxChanges({ store, clock })
  const visibility = makeVisibility({ store })
  const inbox = makeInbox({ store, clock, activity, changes, visibility })
  const delivery = makeDelivery({ store, clock, jobs, activity, changes })
  activity.consume((trx, recorded) => noteAccessChanges(trx, recorded, changes))
  return {
    inbox,
    subscriptions: makeThreadSubscriptions({ store, clock, inbox, changes }),
    marking: makeMarking({ store, clock, jobs, changes, mostAtOnce: markedAtOnce }),
    external: makeExternalDelivery({ store, clock, delivery }),
    submissions: makeSubmissionDelivery({ store, clock, jobs, opening, delivery }),
    streams: makeInboxStreams({ store, inbox, changes }),
  }
}
