/** Reactions: to issues and their comments here, and for the modules of commits, reviews and releases. */
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { ReactionSubject } from '../../../store/schema/issue-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { reaches } from '../../access/level.ts'
import type { Access } from '../../access/opening.ts'
import { noteThreadChange } from '../../activity/thread-changes.ts'
import { notFound } from '../../failures.ts'
import { type Person, toPerson } from '../../person.ts'
import { countRows } from '../../row-pages.ts'
import type { ReactionContent } from '../issue.ts'

export type Reaction = {
  readonly id: number
  readonly user: Person
  readonly content: ReactionContent
  readonly createdAt: Date
}

/** The subject of a reaction. On a locked subject, only users with write rights may react. */
export type Subject = {
  readonly kind: ReactionSubject
  readonly id: number
  readonly isLocked?: boolean
  /** The issue whose conversation it belongs to, if any. */
  readonly issueId?: number
}

/** Finds a subject that the actor may see, again within the transaction: it may have been deleted by then. */
export type FindSubject = (on: Db) => Promise<Subject>

export type Reactions = ReturnType<typeof makeReactions>

export function makeReactions({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store
  const select = (on = db) =>
    on
      .selectFrom('reaction')
      .innerJoin('account', 'account.id', 'reaction.user_id')
      .select(['reaction.id', 'reaction.content', 'reaction.created_at'])
      .select(['account.id as user_id', 'account.kind', 'account.name', 'account.role'])

  type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

  const toReaction = ({ id, content, created_at, user_id, ...person }: Row): Reaction => ({
    id,
    content: content as ReactionContent,
    user: toPerson({ id: user_id, ...person }),
    createdAt: new Date(created_at),
  })

  return {
    async list(
      find: FindSubject,
      content: ReactionContent | undefined,
      { offset, limit }: PageRequest,
    ): Promise<Page<Reaction>> {
      const { kind, id } = await find(db)
      let query = select().where('subject_kind', '=', kind).where('subject_id', '=', id)
      if (content) query = query.where('content', '=', content)
      const rows = await query.orderBy('reaction.id').offset(offset).limit(limit).execute()
      return { total: await countRows(query), items: rows.map(toReaction) }
    },

    /** A user has at most one reaction of each content. `isNew`: whether it was added now. */
    async add(
      { actor, repository }: Access<'read'>,
      find: FindSubject,
      content: ReactionContent,
    ): Promise<{ reaction: Reaction; isNew: boolean }> {
      return store.write(async (trx) => {
        const { kind, id, isLocked = false, issueId } = await find(trx)
        demand(
          !isLocked || reaches(repository.level, 'write'),
          'forbidden',
          'issue-locked',
          'Unable to react because the issue is locked.',
        )
        const added = await trx
          .insertInto('reaction')
          .values({
            subject_kind: kind,
            subject_id: id,
            repository_id: repository.id,
            user_id: actor.account.id,
            content,
            created_at: clock.now(),
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst()
        const row = await select(trx)
          .where('subject_kind', '=', kind)
          .where('subject_id', '=', id)
          .where('user_id', '=', actor.account.id)
          .where('content', '=', content)
          .executeTakeFirstOrThrow()
        if (issueId !== undefined && added) await noteThreadChange(store, trx, repository.id, issueId)
        return { reaction: toReaction(row), isNew: added !== undefined }
      })
    },

    /** The actor's own reaction of this content, if any. */
    async findOwn(
      { actor }: Access<'read'>,
      find: FindSubject,
      content: ReactionContent,
    ): Promise<Reaction | undefined> {
      const { kind, id } = await find(db)
      const row = await select()
        .where('subject_kind', '=', kind)
        .where('subject_id', '=', id)
        .where('user_id', '=', actor.account.id)
        .where('content', '=', content)
        .executeTakeFirst()
      return row && toReaction(row)
    },

    /** Removes the actor's own reaction; others' need write rights. */
    async remove({ actor, repository }: Access<'read'>, find: FindSubject, reactionId: number): Promise<void> {
      await store.write(async (trx) => {
        const { kind, id, issueId } = await find(trx)
        const row = await trx
          .selectFrom('reaction')
          .select('user_id')
          .where('id', '=', reactionId)
          .where('subject_kind', '=', kind)
          .where('subject_id', '=', id)
          .executeTakeFirst()
        if (!row) throw notFound()
        demand(
          row.user_id === actor.account.id || reaches(repository.level, 'write'),
          'forbidden',
          'level-missing',
          'Must be one’s own reaction, or have write rights to Repository.',
        )
        await trx.deleteFrom('reaction').where('id', '=', reactionId).execute()
        if (issueId !== undefined) await noteThreadChange(store, trx, repository.id, issueId)
      })
    },
  }
}

/** Call this when the subject is deleted. */
export async function dropReactions(trx: Db, kind: ReactionSubject, id: number): Promise<void> {
  await trx.deleteFrom('reaction').where('subject_kind', '=', kind).where('subject_id', '=', id).execute()
}
