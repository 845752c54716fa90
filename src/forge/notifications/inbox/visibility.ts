/** Visibility: hides threads of repositories that their user can no longer read. */
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { SignedIn } from '../../../accounts/actor.ts'
import type { Schema } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import {
  type OpenRepository,
  selectRepositories,
  toOpenRepository,
  type Viewer,
  viewerOf,
} from '../../access/repository.ts'
import { lacksSignOn } from '../../access/sign-on.ts'

/** The hidden part of a user's inbox: repositories, except for open invitations to them. */
export type Hidden = { readonly repositoryIds: readonly number[]; readonly openSubjectIds: readonly number[] }

export type Visibility = ReturnType<typeof makeVisibility>

export function makeVisibility({ store: { db } }: { store: Store }) {
  async function findRepositories(viewer: Viewer, ids: readonly number[]): Promise<OpenRepository[]> {
    if (ids.length === 0) return []
    const rows = await selectRepositories(db, viewer.id)
      .where('repository.id', 'in', [...ids])
      .execute()
    return rows.map((row) => toOpenRepository(row, viewer))
  }

  /** An invited user sees the invitation to a private repository. */
  async function listOpenInvitations(userId: number, repositoryIds: readonly number[]): Promise<number[]> {
    const rows = await db
      .selectFrom('repository_invitation')
      .innerJoin('thread_subject', (join) =>
        join
          .onRef('thread_subject.repository_id', '=', 'repository_invitation.repository_id')
          .on('thread_subject.kind', '=', 'invitation')
          .on(sql<SqlBool>`thread_subject.key = cast(repository_invitation.id as text)`),
      )
      .select('thread_subject.id')
      .where('invitee_id', '=', userId)
      .where('repository_invitation.repository_id', 'in', [...repositoryIds])
      .execute()
    return rows.map(({ id }) => id)
  }

  return {
    findRepositories,

    /** Only private repositories can be hidden, so only those are checked: in the whole inbox, or a single one. */
    async findHidden(actor: SignedIn, repositoryId?: number): Promise<Hidden> {
      const viewer = viewerOf(actor)!
      const rows = await db
        .selectFrom('thread_count')
        .innerJoin('repository', 'repository.id', 'thread_count.repository_id')
        .select('repository.id')
        .distinct()
        .where('user_id', '=', viewer.id)
        .where('is_private', '=', 1)
        .$if(repositoryId !== undefined, (query) => query.where('repository.id', '=', repositoryId!))
        .execute()
      const ids = rows.map(({ id }) => id)
      const repositories = await findRepositories(viewer, ids)
      const repositoryIds = repositories
        .filter(({ level, owner }) => level === 'none' || lacksSignOn(actor, owner.id))
        .map(({ id }) => id)
      if (repositoryIds.length === 0) return { repositoryIds, openSubjectIds: [] }
      return { repositoryIds, openSubjectIds: await listOpenInvitations(viewer.id, repositoryIds) }
    },
  }
}

export const isVisible =
  ({ repositoryIds, openSubjectIds }: Hidden) =>
  (eb: ExpressionBuilder<Schema, 'thread'>) => {
    const isOfOthers = eb('thread.repository_id', 'not in', [...repositoryIds])
    return openSubjectIds.length === 0
      ? isOfOthers
      : eb.or([isOfOthers, eb('thread.subject_id', 'in', [...openSubjectIds])])
  }
