/** Builds and connects the notification services. */

import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { Opening } from '../access/opening.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { makeDelivery } from './delivery/delivery.ts'
import { makeExternalDelivery } from './delivery/external.ts'
import { makeSubmissionDelivery } from './delivery/submissions.ts'
import { noteAccessChanges } from './inbox/access-changes.ts'
import { makeInbox } from './inbox/inbox.ts'
import { makeInboxChanges } from './inbox/inbox-changes.ts'
import { makeIssueSubscriptions } from './inbox/issue-subscriptions.ts'
import { makeMarking } from './inbox/marking.ts'
import { makeSavedFilters } from './inbox/saved-filters.ts'
import { makeInboxStreams } from './inbox/streams.ts'
import { makeThreadSubscriptions } from './inbox/subscriptions.ts'
import { makeThreadChanges } from './inbox/thread-changes.ts'
import { makeVisibility } from './inbox/visibility.ts'

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
    issueSubscriptions: makeIssueSubscriptions({ store, clock, inbox, changes }),
    subscriptions: makeThreadSubscriptions({ store, clock, inbox, changes }),
    threadChanges: makeThreadChanges({ store, clock, inbox, changes, visibility }),
    savedFilters: makeSavedFilters({ store }),
    marking: makeMarking({ store, clock, jobs, changes, mostAtOnce: markedAtOnce }),
    external: makeExternalDelivery({ store, clock, delivery }),
    submissions: makeSubmissionDelivery({ store, clock, jobs, opening, delivery }),
    streams: makeInboxStreams({ store, inbox, changes }),
  }
}
