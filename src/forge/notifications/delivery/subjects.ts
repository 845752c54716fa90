/** Subjects of threads. A subject gets its row with its first notification. */
import type { ThreadSubjectKind } from '../../../store/schema/notification-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { SubjectKey } from './notifying-acts.ts'
import type { SubjectPlace } from './standings.ts'

export type SubjectDraft = {
  readonly repositoryId: number
  readonly kind: ThreadSubjectKind
  readonly key: string
  readonly type?: string | undefined
  readonly title?: string | undefined
  readonly url?: string | undefined
  readonly latestCommentUrl?: string | undefined
}

/** Undefined if the repository or the subject is gone by now. */
export async function findOrMakeSubject(trx: Db, subject: SubjectKey): Promise<SubjectPlace | undefined> {
  if (subject.kind !== 'issue') {
    const title = subject.kind === 'invitation' ? await describeInvitation(trx, Number(subject.key)) : subject.title
    return (await isThere(trx, subject.repositoryId)) ? saveSubject(trx, { ...subject, title }) : undefined
  }
  const issueId = Number(subject.key)
  const issue = await trx
    .selectFrom('issue')
    .select('repository_id')
    .where('id', '=', issueId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!issue) return undefined
  const repositoryId = issue.repository_id
  // The issue was transferred after the act: move its threads now, not when the transfer is told.
  if (repositoryId !== subject.repositoryId) await moveSubject(trx, issueId, subject.repositoryId)
  return saveSubject(trx, { ...subject, repositoryId })
}

export const findIssueSubject = (trx: Db, repositoryId: number, issueId: number) =>
  trx
    .selectFrom('thread_subject')
    .select('id')
    .where('repository_id', '=', repositoryId)
    .where('kind', '=', 'issue')
    .where('key', '=', String(issueId))
    .executeTakeFirst()

/** Moves the threads of a transferred issue to its new repository. Answers the users who have them. */
export async function moveSubject(trx: Db, issueId: number, fromRepositoryId: number): Promise<number[]> {
  const subject = await findIssueSubject(trx, fromRepositoryId, issueId)
  const issue = await trx.selectFrom('issue').select('repository_id').where('id', '=', issueId).executeTakeFirst()
  if (!subject || !issue || issue.repository_id === fromRepositoryId) return []
  const to = { repository_id: issue.repository_id }
  await trx.updateTable('thread_subject').set(to).where('id', '=', subject.id).execute()
  await trx.updateTable('thread').set(to).where('subject_id', '=', subject.id).execute()
  return listUsers(trx, subject.id)
}

/** Deletes the threads of a deleted issue. Answers the users who had them. */
export async function removeSubject(trx: Db, issueId: number, repositoryId: number): Promise<number[]> {
  const subject = await findIssueSubject(trx, repositoryId, issueId)
  if (!subject) return []
  const users = await listUsers(trx, subject.id)
  await trx.deleteFrom('thread_subject').where('id', '=', subject.id).execute()
  return users
}

async function listUsers(trx: Db, subjectId: number): Promise<number[]> {
  const rows = await trx
    .selectFrom('thread')
    .select('user_id')
    .where('subject_id', '=', subjectId)
    .where('state', '<>', 'none')
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

const isThere = async (trx: Db, repositoryId: number): Promise<boolean> =>
  (await trx.selectFrom('repository').select('id').where('id', '=', repositoryId).executeTakeFirst()) !== undefined

/** Stores the newest title and addresses, if given. */
export async function saveSubject(trx: Db, draft: SubjectDraft): Promise<SubjectPlace> {
  const { repositoryId, kind, key } = draft
  const given = {
    issue_id: kind === 'issue' ? Number(key) : null,
    type: draft.type ?? null,
    title: draft.title ?? null,
    url: draft.url ?? null,
    latest_comment_url: draft.latestCommentUrl ?? null,
  }
  const { id } = await trx
    .insertInto('thread_subject')
    .values({ repository_id: repositoryId, kind, key, ...given })
    .onConflict((conflict) => conflict.columns(['repository_id', 'kind', 'key']).doUpdateSet(given))
    .returning('id')
    .executeTakeFirstOrThrow()
  return { subjectId: id, repositoryId }
}

/** An answered invitation is deleted: use a general title. */
async function describeInvitation(trx: Db, id: number): Promise<string> {
  const row = await trx
    .selectFrom('repository_invitation')
    .innerJoin('repository', 'repository.id', 'repository_invitation.repository_id')
    .innerJoin('account as owner', 'owner.id', 'repository.owner_id')
    .innerJoin('account as inviter', 'inviter.id', 'repository_invitation.inviter_id')
    .select(['owner.name as owner', 'repository.name as name', 'inviter.name as inviter'])
    .where('repository_invitation.id', '=', id)
    .executeTakeFirst()
  return row ? `Invitation to join ${row.owner}/${row.name} from ${row.inviter}` : 'Invitation to join a repository'
}
