/** Changes of who may read what: an inbox shows more or less by them, so they are changes of the inbox. */
import type { Db } from '../../store/schema/schema.ts'
import type { RecordedActivity } from '../activity/activity.ts'
import type { InboxChanges } from './inbox-changes.ts'

export async function noteAccessChanges(trx: Db, activity: RecordedActivity, changes: InboxChanges): Promise<void> {
  switch (activity.kind) {
    case 'collaborator-added':
    case 'collaborator-removed':
    case 'member-joined':
    case 'member-removed':
      await noteOf(trx, [activity.subjectId], changes)
      break
    case 'repository-deleted':
      await noteDeletion(trx, activity.repositoryId, changes)
      break
    default:
  }
}

/** Whoever has no thread has an inbox that this does not change. */
async function noteOf(trx: Db, userIds: readonly number[], changes: InboxChanges): Promise<void> {
  const rows = await trx
    .selectFrom('inbox')
    .select('user_id')
    .where('user_id', 'in', [...userIds])
    .execute()
  await changes.note(
    trx,
    rows.map(({ user_id }) => user_id),
  )
}

const usersAtOnce = 500

/** The threads went with the repository; their counts tell whose they were. */
async function noteDeletion(trx: Db, repositoryId: number, changes: InboxChanges): Promise<void> {
  const rows = await trx
    .selectFrom('thread_count')
    .select('user_id')
    .distinct()
    .where('repository_id', '=', repositoryId)
    .orderBy('user_id')
    .execute()
  const users = rows.map(({ user_id }) => user_id)
  for (let i = 0; i < users.length; i += usersAtOnce) await noteOf(trx, users.slice(i, i + usersAtOnce), changes)
  await trx.deleteFrom('thread_count').where('repository_id', '=', repositoryId).execute()
}
