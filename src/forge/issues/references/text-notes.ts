/** Handles a text written in an issue: records its mentions with their events, and its references to issues. */
import type { Db } from '../../../store/schema/schema.ts'
import type { IssueAct } from '../issue-act.ts'
import type { NoteText } from '../written-text.ts'
import { noteMentioned, resolveMentions } from './mentioning.ts'
import { type ReferredIssue, resolveReferences } from './resolving.ts'

/** `origin`: the beginning of web addresses on this server. */
export const makeTextNotes =
  ({ origin }: { origin: string | undefined }): NoteText =>
  async (trx, { act, issueId, text, formerText }) => {
    const mentions = await resolveMentions(trx, act, text, formerText)
    await noteMentioned(trx, { act, issueId, users: mentions.users, isEdit: formerText !== '' })
    const referred = await resolveReferences(trx, act, origin, text, formerText)
    await noteReferences(trx, act, issueId, referred)
    return mentions
  }

/** Only the first reference counts: two issues that name each other repeatedly have one row in each direction. */
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
