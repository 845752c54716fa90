/** The milestones of a repository. Users with write rights create, change, close and delete them. */
import { sql } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import { hasPart } from '../../../store/name-words.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import type { ActivityRecord, Changes } from '../../activity/activity.ts'
import { invalidField, notFound } from '../../failures.ts'
import { countRows, readCompletePage } from '../../row-pages.ts'
import { recordEventOfEach } from '../event-recording.ts'
import type { Milestone } from '../issue.ts'
import { actOf, withIssueLocks } from '../issue-act.ts'
import {
  completeMilestones,
  findMilestone,
  type MilestoneRow,
  selectMilestones,
  toMilestone,
} from './milestone-rows.ts'

/** The most of one repository. */
const maxMilestones = 1_000

export type MilestoneDraft = {
  readonly title: string
  readonly state?: 'open' | 'closed'
  readonly description?: string | null
  readonly dueOn?: Date | null
}

export type MilestoneFilter = {
  readonly state: 'open' | 'closed' | 'all'
  readonly sort: keyof typeof sorts
  readonly direction: 'asc' | 'desc'
  /** A part of the title. */
  readonly words?: string | undefined
}

export type Milestones = ReturnType<typeof makeMilestones>

type MilestoneAction = 'created' | 'edited' | 'closed' | 'opened' | 'deleted'

export function makeMilestones({ store, clock, activity }: { store: Store; clock: Clock; activity: ActivityRecord }) {
  const { db } = store

  const tell = (
    trx: Db,
    { actor, repository }: Access<'write'>,
    action: MilestoneAction,
    milestone: Milestone,
    changes?: Changes,
  ) =>
    activity.record(trx, {
      kind: 'milestone-changed',
      actorId: actor.account.id,
      repositoryId: repository.id,
      data: { action, gone: { milestone }, ...(changes && { changes }) },
    })

  async function takeNumber(trx: Db, repositoryId: number): Promise<number> {
    const present = await countRows(trx.selectFrom('milestone').where('repository_id', '=', repositoryId))
    if (present >= maxMilestones)
      throw invalidField('title', 'unprocessable', `A repository can have at most ${maxMilestones} milestones.`)
    const row = await trx
      .updateTable('repository')
      .set((eb) => ({ last_milestone_number: eb('last_milestone_number', '+', 1) }))
      .where('id', '=', repositoryId)
      .returning('last_milestone_number')
      .executeTakeFirst()
    if (!row) throw notFound()
    return row.last_milestone_number
  }

  return {
    list(
      repository: Repository,
      { state, sort, direction, words }: MilestoneFilter,
      page: PageRequest,
    ): Promise<Page<Milestone>> {
      const query = selectMilestones(db)
        .where('milestone.repository_id', '=', repository.id)
        .$if(state !== 'all', (all) => all.where('milestone.state', '=', state as 'open' | 'closed'))
        .$if(Boolean(words), (all) => all.where(hasPart('milestone.title_key', words!)))
        .orderBy(sorts[sort], direction)
        .orderBy('milestone.number', direction)
      return readCompletePage(query, page, (rows) => completeMilestones(db, rows))
    },

    get: async (repository: Repository, number: number): Promise<Milestone> =>
      toMilestone(await findMilestone(db, repository.id, number)),

    async create(access: Access<'write'>, draft: MilestoneDraft): Promise<Milestone> {
      const { actor, repository } = access
      const title = readMilestoneTitle(draft.title)
      const write = async (trx: Db) => {
        const now = clock.now()
        const { state = 'open' } = draft
        const number = await takeNumber(trx, repository.id)
        await trx
          .insertInto('milestone')
          .values({
            repository_id: repository.id,
            number,
            state,
            title,
            title_key: title.toLowerCase(),
            description: draft.description ?? null,
            creator_id: actor.account.id,
            open_issue_count: 0,
            closed_issue_count: 0,
            due_on: draft.dueOn?.getTime() ?? null,
            closed_at: state === 'closed' ? now : null,
            created_at: now,
            updated_at: now,
          })
          .execute()
        const made = toMilestone(await findMilestone(trx, repository.id, number))
        await tell(trx, access, 'created', made)
        return made
      }
      return store.write(write, withIssueLocks(repository.id)).catch(refuseTakenTitle)
    },

    async update(access: Access<'write'>, number: number, edit: Partial<MilestoneDraft>): Promise<Milestone> {
      const { repository } = access
      const title = edit.title === undefined ? undefined : readMilestoneTitle(edit.title)
      const write = async (trx: Db) => {
        const now = clock.now()
        const found = await findMilestone(trx, repository.id, number)
        const { state = found.state } = edit
        await trx
          .updateTable('milestone')
          .set({
            ...omitUndefined({
              title,
              title_key: title?.toLowerCase(),
              description: edit.description,
              due_on: edit.dueOn === undefined ? undefined : (edit.dueOn?.getTime() ?? null),
            }),
            state,
            closed_at: state === 'open' ? null : (found.closed_at ?? now),
            updated_at: now,
          })
          .where('id', '=', found.id)
          .execute()
        const row = await findMilestone(trx, repository.id, number)
        const milestone = toMilestone(row)
        const changes = listChanges(found, row)
        if (Object.keys(changes).length > 0) await tell(trx, access, 'edited', milestone, changes)
        if (found.state !== row.state) await tell(trx, access, row.state === 'closed' ? 'closed' : 'opened', milestone)
        return milestone
      }
      return store.write(write, withIssueLocks(repository.id)).catch(refuseTakenTitle)
    },

    /** Its issues stay, without a milestone, each with an event. */
    async remove(access: Access<'write'>, number: number): Promise<void> {
      await store.write(async (trx) => {
        const row = await findMilestone(trx, access.repository.id, number)
        const { id, title } = row
        await tell(trx, access, 'deleted', toMilestone(row))
        const ofMilestone = trx.selectFrom('issue').select('issue.id as issue_id').where('milestone_id', '=', id)
        await recordEventOfEach(trx, actOf(access, clock.now()), ofMilestone, 'demilestoned', { milestone: { title } })
        await trx.deleteFrom('milestone').where('id', '=', id).execute()
      }, withIssueLocks(access.repository.id))
    },
  }
}

function listChanges(before: MilestoneRow, after: MilestoneRow): Changes {
  const shown = (due: number | null) => (due === null ? null : new Date(due).toISOString())
  return {
    ...(before.title !== after.title && { title: { from: before.title } }),
    ...(before.description !== after.description && { description: { from: before.description ?? '' } }),
    ...(before.due_on !== after.due_on && { due_on: { from: shown(before.due_on) ?? '' } }),
  }
}

/** Milestones without a date sort last. */
const byDueDate = sql<number>`coalesce(milestone.due_on, 9007199254740991)`
const byCompleteness = sql<number>`case when open_issue_count + closed_issue_count = 0 then 0
  else closed_issue_count * 1.0 / (open_issue_count + closed_issue_count) end`
const sorts = {
  due_on: byDueDate,
  completeness: byCompleteness,
  number: sql.ref<number>('milestone.number'),
  created: sql.ref<number>('milestone.created_at'),
  updated: sql.ref<number>('milestone.updated_at'),
} as const

function readMilestoneTitle(text: string): string {
  const title = text.trim()
  if (title === '') throw invalidField('title', 'missing_field', 'A milestone needs a title.')
  return title
}

function refuseTakenTitle(error: unknown): never {
  throw isUniqueViolation(error)
    ? invalidField('title', 'already_exists', 'The repository has a milestone of this title.')
    : error
}
