/** Comments on commits: readers of the repository write them; their authors and users who may write change them. */
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { readLongTexts, shortText } from '../../store/long-texts.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { notFound } from '../failures.ts'
import type { Association, ReactionCounts } from '../issues/issue.ts'
import {
  associationOf,
  hasContributed,
  isCollaborator,
  isMember,
  reactionsTo,
  readReactions,
} from '../issues/issue-reading.ts'
import { dropReactions, type FindSubject } from '../issues/reactions/reactions.ts'
import { resolveMentions } from '../issues/references/mentioning.ts'
import { personBy, readPerson } from '../people/reading.ts'
import type { Person } from '../person.ts'
import { countRows, readCompletePage } from '../row-pages.ts'

export type CommitComment = {
  readonly id: number
  readonly sha: string
  readonly author: Person
  readonly association: Association
  readonly body: string
  readonly path: string | null
  readonly position: number | null
  readonly line: number | null
  readonly reactions: ReactionCounts
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type CommitCommentDraft = {
  readonly body: string
  readonly path: string | null
  readonly position: number | null
  readonly line: number | null
}

/** Comments of one commit. */
const maxPerCommit = 5_000

type Needs = { store: Store; clock: Clock; activity: ActivityRecord }

export type CommitComments = ReturnType<typeof makeCommitComments>

export function makeCommitComments({ store, clock, activity }: Needs) {
  const { db } = store

  const selectAll = (on: Db) =>
    on
      .selectFrom('commit_comment')
      .innerJoin('repository', 'repository.id', 'commit_comment.repository_id')
      .select([
        ...(['commit_comment.id', 'commit_comment.repository_id', 'commit_comment.sha'] as const),
        ...(['commit_comment.author_id', 'commit_comment.path', 'commit_comment.position'] as const),
        ...(['commit_comment.line', 'commit_comment.created_at', 'commit_comment.updated_at'] as const),
      ])
      .select(shortText<string, 'body'>('commit_comment', 'body'))
      .select('repository.owner_id')
      .select(isCollaborator('commit_comment.author_id').as('is_collaborator'))
      .select(isMember('commit_comment.author_id').as('is_member'))
      .select(hasContributed('commit_comment.author_id').as('has_contributed'))
      .select(personBy(on, 'commit_comment.author_id').as('author'))
      .select(reactionsTo(on, 'commit-comment', 'commit_comment.id').as('reactions'))

  const select = (on: Db, repositoryId: number) =>
    selectAll(on).where('commit_comment.repository_id', '=', repositoryId)

  type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

  const toComment = (row: Row): CommitComment => ({
    id: row.id,
    sha: row.sha,
    author: readPerson(row.author)!,
    association: associationOf(row.author_id, row),
    body: row.body,
    path: row.path,
    position: row.position,
    line: row.line,
    reactions: readReactions(row.reactions),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  })

  /** Keeps the order of the rows. */
  async function complete(on: Db, rows: readonly Row[]): Promise<CommitComment[]> {
    await readLongTexts(on, 'commit_comment', rows)
    return rows.map(toComment)
  }

  async function find(on: Db, repositoryId: number, id: number): Promise<CommitComment> {
    const rows = await select(on, repositoryId).where('commit_comment.id', '=', id).execute()
    const [comment] = await complete(on, rows)
    if (!comment) throw notFound()
    return comment
  }

  const page = (query: ReturnType<typeof select>, request: PageRequest): Promise<Page<CommitComment>> =>
    readCompletePage(query.orderBy('commit_comment.id'), request, (rows) => complete(db, rows))

  async function demandMayChange(trx: Db, { actor, repository }: Access<'read'>, id: number): Promise<CommitComment> {
    const comment = await find(trx, repository.id, id)
    demand(
      comment.author.id === actor.account.id || reaches(repository.level, 'write'),
      'forbidden',
      'level-missing',
      'Must be one’s own comment, or have write rights to Repository.',
    )
    return comment
  }

  return {
    /** Oldest first. */
    list: (repository: Repository, sha: string, request: PageRequest): Promise<Page<CommitComment>> =>
      page(select(db, repository.id).where('commit_comment.sha', '=', sha), request),

    listAll: (repository: Repository, request: PageRequest): Promise<Page<CommitComment>> =>
      page(select(db, repository.id), request),

    /** The number of comments of each of these commits; commits without any are left out. */
    async count({ id }: Repository, shas: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (shas.length === 0) return new Map()
      const rows = await db
        .selectFrom('commit_comment')
        .select((eb) => ['sha', eb.fn.countAll<number>().as('count')])
        .where('repository_id', '=', id)
        .where('sha', 'in', [...new Set(shas)])
        .groupBy('sha')
        .execute()
      return new Map(rows.map(({ sha, count }) => [sha, Number(count)]))
    },

    async readByIds(ids: readonly number[]): Promise<Map<number, CommitComment>> {
      if (ids.length === 0) return new Map()
      const rows = await selectAll(db).where('commit_comment.id', 'in', ids).execute()
      return new Map((await complete(db, rows)).map((comment) => [comment.id, comment]))
    },

    get: (repository: Repository, id: number): Promise<CommitComment> => find(db, repository.id, id),

    /** The caller has checked that the commit exists. `authorId`: the commit's author, if known here. */
    write: (
      { actor, repository }: Access<'read'>,
      commit: { readonly sha: string; readonly message: string; readonly authorId: number | null },
      draft: CommitCommentDraft,
    ): Promise<CommitComment> =>
      store.write(async (trx) => {
        const all = trx
          .selectFrom('commit_comment')
          .where('repository_id', '=', repository.id)
          .where('sha', '=', commit.sha)
        if ((await countRows(all)) >= maxPerCommit)
          throw new Failure('invalid', 'too-many-comments', `A commit can have at most ${maxPerCommit} comments.`)
        const now = clock.now()
        const actorId = actor.account.id
        const { id } = await trx
          .insertInto('commit_comment')
          .values({
            repository_id: repository.id,
            sha: commit.sha,
            author_id: actorId,
            ...draft,
            created_at: now,
            updated_at: now,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        const mentions = await resolveMentions(trx, { repository, actorId }, draft.body)
        await activity.record(trx, {
          kind: 'commit-commented',
          actorId,
          repositoryId: repository.id,
          subjectId: id,
          data: { sha: commit.sha, title: firstLineOf(commit.message), mentions, authorId: commit.authorId },
        })
        return find(trx, repository.id, id)
      }),

    edit: (access: Access<'read'>, id: number, body: string): Promise<CommitComment> =>
      store.write(async (trx) => {
        await demandMayChange(trx, access, id)
        await trx.updateTable('commit_comment').set({ body, updated_at: clock.now() }).where('id', '=', id).execute()
        return find(trx, access.repository.id, id)
      }),

    async remove(access: Access<'read'>, id: number): Promise<void> {
      await store.write(async (trx) => {
        await demandMayChange(trx, access, id)
        await trx.deleteFrom('commit_comment').where('id', '=', id).execute()
        await dropReactions(trx, 'commit-comment', id)
      })
    },

    subject:
      (repository: Repository, id: number): FindSubject =>
      async (on) => {
        await find(on, repository.id, id)
        return { kind: 'commit-comment', id }
      },
  }
}

const longestTitle = 255

const firstLineOf = (message: string): string =>
  message.trimStart().split('\n', 1)[0]!.slice(0, longestTitle).toWellFormed()
