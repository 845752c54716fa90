/** Duplicates: a comment `Duplicate of #12` marks an issue as one, and it can be unmarked. */
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { reaches } from '../../access/level.ts'
import type { Access } from '../../access/opening.ts'
import { notFound } from '../../failures.ts'
import { findDuplicateOf } from '../../markup/references.ts'
import { recordEvent } from '../event-recording.ts'
import { actOf, type IssueAct, placeOf, withIssueLocks } from '../issue-act.ts'
import { demandMayChange } from '../issue-rights.ts'
import { findIssue, type IssueCore } from '../issue-row.ts'
import { resolve } from './resolving.ts'

/** Reads a new comment for a duplicate mark, if its author may set one. */
export type NoteDuplicate = (trx: Db, act: IssueAct, issue: IssueCore, text: string) => Promise<void>

type Needs = { store: Store; clock: Clock; origin: string | undefined }

export type Duplicates = ReturnType<typeof makeDuplicates>

export function makeDuplicates({ store, clock, origin }: Needs) {
  const note: NoteDuplicate = async (trx, act, issue, text) => {
    const named = findDuplicateOf(text)
    if (!named || !(reaches(act.repository.level, 'triage') || issue.author_id === act.actorId)) return
    const [original] = await resolve(trx, act, origin, [named])
    // An issue can only duplicate another issue, and a pull another pull.
    if (!original || original.id === issue.id || original.isPull !== (issue.is_pull === 1)) return
    if (issue.duplicate_of_id === original.id) return
    await mark(trx, issue.id, original.id)
    await recordEvent(trx, placeOf(act, issue.id), 'marked_as_duplicate', {})
  }

  return {
    note,

    async unmark(access: Access<'triage'>, number: number): Promise<void> {
      const { repository } = access
      await store.write(async (trx) => {
        const issue = await findIssue(trx, repository.id, number)
        demandMayChange(access, issue, 'triage')
        const isMarked = issue.duplicate_of_id !== null
        if (!isMarked && issue.state_reason !== 'duplicate') throw notFound()
        await mark(trx, issue.id, null)
        if (issue.state_reason === 'duplicate') await complete(trx, issue.id)
        if (!isMarked) return
        await recordEvent(trx, placeOf(actOf(access, clock.now()), issue.id), 'unmarked_as_duplicate', {})
      }, withIssueLocks(repository.id))
    },
  }
}

/** It stays closed, for the usual reason. */
const complete = (trx: Db, id: number) =>
  trx.updateTable('issue').set({ state_reason: 'completed' }).where('id', '=', id).execute()

const mark = (trx: Db, id: number, originalId: number | null) =>
  trx.updateTable('issue').set({ duplicate_of_id: originalId }).where('id', '=', id).execute()
