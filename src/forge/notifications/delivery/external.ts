/** Notifications that other systems (builds, deployments, security alerts) deliver with an admin's token. */
import type { Clock } from '../../../lib/clock.ts'
import type { Store } from '../../../store/store.ts'
import type { Repository } from '../../access/repository.ts'
import type { SiteAdmin } from '../../access/site-admin.ts'
import { invalidField } from '../../failures.ts'
import type { Person } from '../../person.ts'
import type { Delivery } from './delivery.ts'
import type { Reason } from './reasons.ts'
import { findOrMakeSubject, saveSubject } from './subjects.ts'

export type ExternalNotification = {
  readonly recipient: Person
  readonly repository: Repository
  readonly reason: Reason
  readonly subject: {
    readonly type: string
    readonly title: string
    readonly url?: string | undefined
    readonly latestCommentUrl?: string | undefined
    /** The issue or pull that it is about: it joins that thread. */
    readonly issueNumber?: number | undefined
  }
}

type Needs = { store: Store; clock: Clock; delivery: Delivery }

export type ExternalDelivery = ReturnType<typeof makeExternalDelivery>

export function makeExternalDelivery({ store, clock, delivery }: Needs) {
  return {
    /** Answers the thread's id, or undefined if the recipient does not want it or may not read the repository. */
    async deliver(_admin: SiteAdmin, { recipient, repository, reason, subject }: ExternalNotification) {
      return store.write(async (trx): Promise<number | undefined> => {
        const { issueNumber } = subject
        const issue =
          issueNumber === undefined
            ? undefined
            : await trx
                .selectFrom('issue')
                .select('id')
                .where('repository_id', '=', repository.id)
                .where('number', '=', issueNumber)
                .executeTakeFirst()
        const key = `${subject.type} ${subject.url ?? subject.title}`
        const place = issue
          ? await findOrMakeSubject(trx, { repositoryId: repository.id, kind: 'issue', key: String(issue.id) })
          : await saveSubject(trx, { ...subject, repositoryId: repository.id, kind: 'external', key })
        if (!place) throw invalidField('subject', 'invalid', 'The issue is gone.')
        const act = { activityId: 0, actorId: 0, own: undefined, isVisible: false, at: clock.now() }
        const namings = new Map([[recipient.id, [reason]]])
        const told = await delivery.deliver(trx, { ...act, reach: 'named' }, place, [recipient.id], namings)
        if (told === 0) return undefined
        const row = await trx
          .selectFrom('thread')
          .select('id')
          .where('subject_id', '=', place.subjectId)
          .where('user_id', '=', recipient.id)
          .executeTakeFirstOrThrow()
        return row.id
      })
    },
  }
}
