/** Subjects: what threads are about. A subject has a row from its first notification on. */
import type { ThreadSubjectKind } from '../../store/schema/notifications.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { SubjectKey } from './acts.ts'
import type { Place } from './standings.ts'

export type SubjectDraft = {
  readonly repositoryId: number
  readonly kind: ThreadSubjectKind
  readonly key: string
  readonly type?: string | undefined
  readonly title?: string | undefined
  readonly url?: string | undefined
  readonly latestCommentUrl?: string | undefined
}

/** Undefined where the repository or the thing itself is gone by now. */
export async function findOrMakeSubject(trx: Db, subject: SubjectKey): Promise<Place | undefined> {
  if (subject.kind !== 'issue') {
    const title = subject.kind === 'invitation' ? await describeInvitation(trx, Number(subject.key)) : subject.title
    return (await isThere(trx, subject.repositoryId)) ? saveSubject(trx, { ...subject, title }) : undefined
  }
  const issue = await trx
    .selectFrom('issue')
    .select('repository_id')
    .where('id', '=', Number(subject.key))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return issue && saveSubject(trx, { ...subject, repositoryId: issue.repository_id })
}

const isThere = async (trx: Db, repositoryId: number): Promise<boolean> =>
  (await trx.selectFrom('repository').select('id').where('id', '=', repositoryId).executeTakeFirst()) !== undefined

/** With the newest title and addresses, where any are given. */
export async function saveSubject(trx: Db, draft: SubjectDraft): Promise<Place> {
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

/** An invitation that was answered already has no words of its own. */
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
