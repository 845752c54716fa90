/** Invitations to repositories that were answered, withdrawn or removed: each is recorded, so that its thread leaves the inbox. */
import type { Db } from '../../store/schema/schema.ts'
import type { ActivityRecord } from './activity.ts'

export type EndedInvitation = { readonly id: number; readonly repository_id: number; readonly invitee_id: number }

/** The columns that a delete returns for it. */
export const endedColumns = ['id', 'repository_id', 'invitee_id'] as const

export async function recordEndedInvitations(
  trx: Db,
  activity: Pick<ActivityRecord, 'record'>,
  actorId: number,
  ended: readonly EndedInvitation[],
): Promise<void> {
  for (const { id, repository_id: repositoryId, invitee_id: inviteeId } of ended)
    await activity.record(trx, { kind: 'invitation-ended', actorId, repositoryId, subjectId: id, data: { inviteeId } })
}
