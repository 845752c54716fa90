/** Issues and their comments as subjects of reactions. */
import type { Actor } from '../../../accounts/actor.ts'
import type { OpenRepository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import { demandReadable } from '../issue-rights.ts'
import { findIssue } from '../issue-row.ts'
import type { FindSubject } from './reactions.ts'

export const findIssueSubject =
  (actor: Actor, repository: OpenRepository, number: number): FindSubject =>
  async (on) => {
    const issue = await findIssue(on, repository.id, number)
    demandReadable(actor, repository, issue)
    return { kind: 'issue', id: issue.id, isLocked: issue.is_locked === 1, issueId: issue.id }
  }

export const findCommentSubject =
  (actor: Actor, repository: OpenRepository, id: number): FindSubject =>
  async (on) => {
    const row = await on
      .selectFrom('issue_comment')
      .innerJoin('issue', 'issue.id', 'issue_comment.issue_id')
      .select(['issue.id as issue_id', 'issue.is_pull', 'issue.is_locked'])
      .where('issue_comment.id', '=', id)
      .where('issue_comment.repository_id', '=', repository.id)
      .where('issue.deleted_at', 'is', null)
      .executeTakeFirst()
    if (!row) throw notFound()
    demandReadable(actor, repository, row)
    return { kind: 'issue-comment', id, isLocked: row.is_locked === 1, issueId: row.issue_id }
  }
