/**
 * Notifies authors of finished submissions to the judge. The thread is in the repository that the submission was pushed
 * to, or else in the one that the operator named.
 */
import { anonymous } from '../../../accounts/actor.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Opening, RepositoryAddress } from '../../access/opening.ts'
import type { Delivery } from './delivery.ts'
import { saveSubject } from './subjects.ts'

export type JudgedSubmission = { readonly id: number; readonly authorId: number; readonly title: string }

type Needs = { store: Store; clock: Clock; jobs: Jobs; opening: Opening; delivery: Delivery }

const deliveryKind = 'forge.submission-delivery'

export function makeSubmissionDelivery({ store, clock, jobs, opening, delivery }: Needs) {
  type SentNotice = { readonly submission: JudgedSubmission; readonly place: RepositoryAddress }

  jobs.define<SentNotice>(deliveryKind, async ({ submission, place }) => {
    await store.write(async (trx) => {
      const repository = await opening.find(anonymous('judge'), place, trx)
      if (!repository) return
      const { id, authorId, title } = submission
      const draft = { repositoryId: repository.id, kind: 'external', key: `submission ${id}` } as const
      const subject = await saveSubject(trx, { ...draft, type: 'CheckSuite', title })
      const act = {
        activityId: 0,
        actorId: 0,
        own: undefined,
        isVisible: false,
        reach: 'named',
        at: clock.now(),
      } as const
      await delivery.deliver(trx, act, subject, [authorId], new Map([[authorId, ['ci_activity']]]))
    })
  })

  return {
    /** Part of the transaction that finishes the submission. A rejudged submission keeps its thread. */
    note: (trx: Db, place: RepositoryAddress, submission: JudgedSubmission): Promise<unknown> =>
      jobs.enqueue(trx, deliveryKind, { submission, place } satisfies SentNotice),
  }
}
