/** The labels of a repository. Users with write rights create, change and delete them. */

import { type SqlBool, sql } from 'kysely'
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import type { OpenRepository, Repository } from '../../access/repository.ts'
import type { ActivityRecord, Changes } from '../../activity/activity.ts'
import { invalidField, notFound } from '../../failures.ts'
import { readPage } from '../../row-pages.ts'
import { recordEventOfEach } from '../event-recording.ts'
import type { Label } from '../issue.ts'
import { actOf, withIssueLocks } from '../issue-act.ts'
import { demandMayChange, demandReadable } from '../issue-rights.ts'
import { findIssue } from '../issue-row.ts'
import { findMilestone } from '../milestones/milestone-rows.ts'
import { changeLabelsWithin, type LabelChange, removeLabelsWithin } from './issue-labels.ts'
import { demandRoomForLabels, type LabelRow, labelKey, plainColor, toLabel } from './label-rows.ts'

export type LabelDraft = { readonly name: string; readonly color?: string; readonly description?: string | null }
export type LabelEdit = Partial<LabelDraft>

/** `words`: part of the name or the description; empty for all labels. */
export type LabelFilter = {
  readonly words: string
  readonly sort: 'name' | 'created'
  readonly direction: 'asc' | 'desc'
}

const byName: LabelFilter = { words: '', sort: 'name', direction: 'asc' }

export type Labels = ReturnType<typeof makeLabels>

export function makeLabels({ store, clock, activity }: { store: Store; clock: Clock; activity: ActivityRecord }) {
  const { db } = store

  const tell = (
    trx: Db,
    { actor, repository }: Access<'write'>,
    action: 'created' | 'edited' | 'deleted',
    row: LabelRow,
    changes?: Changes,
  ) =>
    activity.record(trx, {
      kind: 'label-changed',
      actorId: actor.account.id,
      repositoryId: repository.id,
      data: { action, gone: { label: toLabel(row) }, ...(changes && { changes }) },
    })

  async function find(on: Db, repositoryId: number, name: string) {
    const row = await on
      .selectFrom('label')
      .selectAll()
      .where('repository_id', '=', repositoryId)
      .where('name_key', '=', labelKey(name))
      .executeTakeFirst()
    if (!row) throw notFound()
    return row
  }

  return {
    list(repository: Repository, page: PageRequest, filter: LabelFilter = byName): Promise<Page<Label>> {
      const { words, sort, direction } = filter
      let query = db.selectFrom('label').selectAll().where('repository_id', '=', repository.id)
      const part = `%${labelKey(words).replace(/[\\%_]/g, '\\$&')}%`
      if (words !== '')
        query = query.where(
          sql<SqlBool>`(name_key like ${part} escape '\\' or lower(description) like ${part} escape '\\')`,
        )
      return readPage(query.orderBy(sort === 'name' ? 'name_key' : 'id', direction), page, toLabel)
    },

    get: async (repository: Repository, name: string): Promise<Label> => toLabel(await find(db, repository.id, name)),

    async create(access: Access<'write'>, draft: LabelDraft): Promise<Label> {
      const { repository } = access
      const name = readName(draft.name)
      const row = await store
        .write(async (trx) => {
          await demandRoomForLabels(trx, repository.id, 1)
          const made = await trx
            .insertInto('label')
            .values({
              repository_id: repository.id,
              name,
              name_key: labelKey(name),
              color: draft.color === undefined ? plainColor : readColor(draft.color),
              description: draft.description ?? null,
              is_default: 0,
            })
            .returningAll()
            .executeTakeFirstOrThrow()
          await tell(trx, access, 'created', made)
          return made
        }, withIssueLocks(repository.id))
        .catch(refuseTakenName)
      return toLabel(row)
    },

    async update(access: Access<'write'>, name: string, edit: LabelEdit): Promise<Label> {
      const { repository } = access
      const newName = edit.name === undefined ? undefined : readName(edit.name)
      const set = omitUndefined({
        name: newName,
        name_key: newName && labelKey(newName),
        color: edit.color === undefined ? undefined : readColor(edit.color),
        description: edit.description,
      })
      const row = await store
        .write(async (trx) => {
          const found = await find(trx, repository.id, name)
          if (Object.keys(set).length === 0) return found
          const changed = trx.updateTable('label').set(set).where('id', '=', found.id).returningAll()
          const label = await changed.executeTakeFirstOrThrow()
          await tell(trx, access, 'edited', label, listChanges(found, label))
          return label
        }, withIssueLocks(repository.id))
        .catch(refuseTakenName)
      return toLabel(row)
    },

    /** Also removes it from all issues, each with an event. */
    async remove(access: Access<'write'>, name: string): Promise<void> {
      const { repository } = access
      await store.write(async (trx) => {
        const label = await find(trx, repository.id, name)
        const ofLabel = trx.selectFrom('issue_label').select('issue_id').where('label_id', '=', label.id)
        const data = { label: { name: label.name, color: label.color } }
        await recordEventOfEach(trx, actOf(access, clock.now()), ofLabel, 'unlabeled', data)
        await trx.deleteFrom('label').where('id', '=', label.id).execute()
        await tell(trx, access, 'deleted', label)
      }, withIssueLocks(repository.id))
    },

    async listOfIssue(
      actor: Actor,
      repository: OpenRepository,
      number: number,
      page: PageRequest,
    ): Promise<Page<Label>> {
      const issue = await findIssue(db, repository.id, number)
      demandReadable(actor, repository, issue)
      return listOnIssue(db, issue.id, page)
    },

    /** The labels of a milestone's issues, each once. */
    async listOfMilestone(repository: Repository, number: number, page: PageRequest): Promise<Page<Label>> {
      const { id } = await findMilestone(db, repository.id, number)
      const labelled = db
        .selectFrom('issue')
        .innerJoin('issue_label', 'issue_label.issue_id', 'issue.id')
        .select('issue_label.label_id')
        .where('issue.milestone_id', '=', id)
      return readPage(db.selectFrom('label').selectAll().where('id', 'in', labelled).orderBy('name_key'), page, toLabel)
    },

    async changeOfIssue(access: Access<'triage'>, number: number, change: LabelChange): Promise<Label[]> {
      return store.write(async (trx) => {
        const issue = await findIssue(trx, access.repository.id, number)
        demandMayChange(access, issue, 'triage')
        const { id } = issue
        await changeLabelsWithin(trx, activity, actOf(access, clock.now()), id, change)
        return [...(await listOnIssue(trx, id, everyLabel)).items]
      }, withIssueLocks(access.repository.id))
    },

    async removeFromIssue(access: Access<'triage'>, number: number, name: string): Promise<Label[]> {
      return store.write(async (trx) => {
        const issue = await findIssue(trx, access.repository.id, number)
        demandMayChange(access, issue, 'triage')
        const { id } = issue
        const isRemoved = await removeLabelsWithin(trx, activity, actOf(access, clock.now()), id, [name])
        if (!isRemoved) throw notFound()
        return [...(await listOnIssue(trx, id, everyLabel)).items]
      }, withIssueLocks(access.repository.id))
    },
  }
}

function listChanges(before: LabelRow, after: LabelRow): Changes {
  const names = ['name', 'color', 'description'] as const
  const changed = names.filter((name) => before[name] !== after[name])
  return Object.fromEntries(changed.map((name) => [name, { from: before[name] ?? '' }]))
}

const everyLabel = { offset: 0, limit: 1_000 }

const listOnIssue = (on: Db, issueId: number, page: PageRequest): Promise<Page<Label>> =>
  readPage(
    on
      .selectFrom('issue_label')
      .innerJoin('label', 'label.id', 'issue_label.label_id')
      .selectAll('label')
      .where('issue_label.issue_id', '=', issueId)
      .orderBy('label.name_key'),
    page,
    toLabel,
  )

function readName(text: string): string {
  const name = text.trim()
  if (name === '') throw invalidField('name', 'missing_field', 'A label needs a name.')
  return name
}

/** Six hexadecimal digits, with `#` before them or without. */
function readColor(text: string): string {
  const color = text.replace(/^#/, '').toLowerCase()
  if (!/^[0-9a-f]{6}$/.test(color)) throw invalidField('color', 'invalid', 'A color has six hexadecimal digits.')
  return color
}

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error) ? invalidField('name', 'already_exists', 'The repository has this label.') : error
}
