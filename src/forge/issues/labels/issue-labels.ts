/** Adds and removes an issue's labels: each change has an event, and nothing else has. */
import type { Db } from '../../../store/schema/schema.ts'
import { reaches } from '../../access/level.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField } from '../../failures.ts'
import { recordEvents } from '../event-recording.ts'
import { type IssueAct, placeOf } from '../issue-act.ts'
import { touchIssue } from '../issue-row.ts'
import { subjectOf } from '../issue-state.ts'
import { demandRoomForLabels, type LabelRow, labelKey, plainColor, toLabel } from './label-rows.ts'

/** The most of one issue. */
export const maxIssueLabels = 100

/** `add` adds these, `set` also removes all others, `remove` removes those of these that are there. */
export type LabelChange = { readonly mode: 'add' | 'set' | 'remove'; readonly names: readonly string[] }

/** Call within a write that holds the lock on the repository's issues. Answers whether anything changed. */
export async function changeLabelsWithin(
  trx: Db,
  activity: ActivityRecord,
  act: IssueAct,
  issueId: number,
  { mode, names }: LabelChange,
): Promise<boolean> {
  if (mode === 'remove') return removeLabelsWithin(trx, activity, act, issueId, names)
  const wanted = await findOrMakeLabels(trx, activity, act, names)
  const present = await readPresent(trx, issueId)
  const added = wanted.filter(({ id }) => !present.some((label) => label.id === id))
  const removed = mode === 'set' ? present.filter(({ id }) => !wanted.some((label) => label.id === id)) : []
  if (present.length + added.length - removed.length > maxIssueLabels)
    throw invalidField('labels', 'invalid', `An issue can have at most ${maxIssueLabels} labels.`)
  await takeOff(trx, activity, act, issueId, removed)
  const rows = added.map(({ id }) => ({ issue_id: issueId, label_id: id }))
  if (rows.length > 0) await trx.insertInto('issue_label').values(rows).execute()
  await recordEvents(trx, placeOf(act, issueId), 'labeled', added.map(toData))
  await tell(trx, activity, act, issueId, 'labeled', added)
  const isChanged = added.length + removed.length > 0
  if (isChanged) await touchIssue(trx, issueId, act.now)
  return isChanged
}

/** Call within a write that holds the lock on the repository's issues. False if the issue has none of these labels. */
export async function removeLabelsWithin(
  trx: Db,
  activity: ActivityRecord,
  act: IssueAct,
  issueId: number,
  names: readonly string[],
): Promise<boolean> {
  const keys = new Set(names.map(labelKey))
  const found = (await readPresent(trx, issueId)).filter(({ name_key }) => keys.has(name_key))
  await takeOff(trx, activity, act, issueId, found)
  if (found.length > 0) await touchIssue(trx, issueId, act.now)
  return found.length > 0
}

async function takeOff(
  trx: Db,
  activity: ActivityRecord,
  act: IssueAct,
  issueId: number,
  labels: readonly LabelRow[],
): Promise<void> {
  if (labels.length === 0) return
  await trx
    .deleteFrom('issue_label')
    .where('issue_id', '=', issueId)
    .where(
      'label_id',
      'in',
      labels.map(({ id }) => id),
    )
    .execute()
  await recordEvents(trx, placeOf(act, issueId), 'unlabeled', labels.map(toData))
  await tell(trx, activity, act, issueId, 'unlabeled', labels)
}

async function tell(
  trx: Db,
  activity: ActivityRecord,
  act: IssueAct,
  issueId: number,
  action: 'labeled' | 'unlabeled',
  labels: readonly LabelRow[],
): Promise<void> {
  for (const label of labels)
    await activity.record(trx, {
      kind: 'issue-changed',
      ...subjectOf(act, issueId),
      data: { action, gone: { label: toLabel(label) } },
    })
}

const toData = ({ name, color }: LabelRow) => ({ label: { name, color } })

const readPresent = (trx: Db, issueId: number): Promise<LabelRow[]> =>
  trx
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .where('issue_label.issue_id', '=', issueId)
    .orderBy('label.name_key')
    .execute()

/** In the given order. Unknown labels are created if the actor has write rights, and ignored otherwise. */
async function findOrMakeLabels(
  trx: Db,
  activity: ActivityRecord,
  act: IssueAct,
  names: readonly string[],
): Promise<LabelRow[]> {
  const nameByKey = new Map(names.map((name) => [labelKey(name), name]))
  const keys = [...nameByKey.keys()]
  if (keys.length === 0) return []
  if (keys.length > maxIssueLabels)
    throw invalidField('labels', 'invalid', `An issue can have at most ${maxIssueLabels} labels.`)
  const repositoryId = act.repository.id
  const rows = await trx
    .selectFrom('label')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('name_key', 'in', keys)
    .execute()
  const known = new Map(rows.map((row) => [row.name_key, row]))
  const unknown = keys.filter((key) => !known.has(key))
  if (unknown.length > 0 && reaches(act.repository.level, 'write')) {
    await demandRoomForLabels(trx, repositoryId, unknown.length)
    const made = await trx
      .insertInto('label')
      .values(
        unknown.map((key) => ({
          repository_id: repositoryId,
          name: nameByKey.get(key)!,
          name_key: key,
          color: plainColor,
          description: null,
          is_default: 0,
        })),
      )
      .returningAll()
      .execute()
    for (const row of made) {
      known.set(row.name_key, row)
      await activity.record(trx, {
        kind: 'label-changed',
        actorId: act.actorId,
        repositoryId,
        data: { action: 'created', gone: { label: toLabel(row) } },
      })
    }
  }
  return keys.flatMap((key) => known.get(key) ?? [])
}
