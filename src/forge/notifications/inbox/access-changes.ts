/** Changes of access, ended invitations and deletions: they change which threads an inbox shows, so they count as its changes. */
import type { Db } from '../../../store/schema/schema.ts'
import type { RecordedActivity } from '../../activity/activity.ts'
import { moveSubject, removeSubject } from '../delivery/subjects.ts'
import type { InboxChanges } from './inbox-changes.ts'

export async function noteAccessChanges(trx: Db, activity: RecordedActivity, changes: InboxChanges): Promise<void> {
  switch (activity.kind) {
    case 'collaborator-added':
    case 'collaborator-removed':
    case 'member-joined':
    case 'member-removed':
    case 'credential-authorized':
    case 'credential-deauthorized':
      await noteOf(trx, [activity.subjectId], changes)
      break
    case 'invitation-ended':
      await endInvitation(trx, activity, changes)
      break
    case 'issue-deleted':
      await noteOf(trx, await removeSubject(trx, activity.subjectId, activity.repositoryId), changes)
      break
    case 'issue-transferred':
      await noteOf(trx, await moveSubject(trx, activity.subjectId, activity.data.fromRepositoryId), changes)
      break
    case 'repository-deleted':
      await noteDeletion(trx, activity.repositoryId, changes)
      break
    default:
  }
}

type EndedInvitation = Extract<RecordedActivity, { kind: 'invitation-ended' }>

/** Its thread is done: there is nothing left to answer. */
async function endInvitation(trx: Db, activity: EndedInvitation, changes: InboxChanges): Promise<void> {
  const { repositoryId, subjectId, data } = activity
  await changes.lock(trx, [data.inviteeId])
  const subject = trx
    .selectFrom('thread_subject')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('kind', '=', 'invitation')
    .where('key', '=', String(subjectId))
  await trx
    .updateTable('thread')
    .set({ state: 'done' })
    .where('user_id', '=', data.inviteeId)
    .where('subject_id', 'in', subject)
    .where('state', 'in', ['unread', 'read'])
    .execute()
  await noteOf(trx, [data.inviteeId], changes)
}

/** Users without threads are skipped: their inbox does not change. */
async function noteOf(trx: Db, userIds: readonly number[], changes: InboxChanges): Promise<void> {
  for (let i = 0; i < userIds.length; i += usersAtOnce) {
    const some = userIds.slice(i, i + usersAtOnce)
    const rows = await trx.selectFrom('inbox').select('user_id').where('user_id', 'in', some).execute()
    await changes.note(
      trx,
      rows.map(({ user_id }) => user_id),
    )
  }
}

const usersAtOnce = 500

/** The threads were deleted with the repository; the count rows still tell whose they were. */
async function noteDeletion(trx: Db, repositoryId: number, changes: InboxChanges): Promise<void> {
  const rows = await trx
    .selectFrom('thread_count')
    .select('user_id')
    .distinct()
    .where('repository_id', '=', repositoryId)
    .orderBy('user_id')
    .execute()
  await noteOf(
    trx,
    rows.map(({ user_id }) => user_id),
    changes,
  )
  await trx.deleteFrom('thread_count').where('repository_id', '=', repositoryId).execute()
}
