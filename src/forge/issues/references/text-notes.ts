/** What becomes of a text that is written in an issue: its mentions with their events, and the issues that it names. */
import type { Db } from '../../../store/schema/schema.ts'
import type { IssueAct } from '../issue-act.ts'
import type { NoteText } from '../written-text.ts'
import { noteMentioned, resolveMentions } from './mentioning.ts'
import { type ReferredIssue, resolveReferences } from './resolving.ts'

/** `origin`: of the web addresses that lead here. */
export const makeTextNotes =
  ({ origin }: { origin: string | undefined }): NoteText =>
  async (trx, { act, issueId, text, formerText }) => {
    const mentions = await resolveMentions(trx, act, text, formerText)
    await noteMentioned(trx, { act, issueId, users: mentions.users, isEdit: formerText !== '' })
    const referred = await resolveReferences(trx, act, origin, text, formerText)
    await noteReferences(trx, act, issueId, referred)
    return mentions
  }

/** The first time counts: two issues that name each other again and again leave one row each way. */
async function noteReferences(
  trx: Db,
  act: IssueAct,
  sourceId: number,
  referred: readonly ReferredIssue[],
): Promise<void> {
  const targets = referred.filter(({ id }) => id !== sourceId)
  if (targets.length === 0) return
  await trx
    .insertInto('cross_reference')
    .values(
      targets.map(({ id }) => ({
        target_id: id,
        source_id: sourceId,
        actor_id: act.actorId,
        created_at: act.now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
