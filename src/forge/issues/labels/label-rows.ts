/** The rows of labels, and the default labels of a new repository. */
import type { Selectable } from 'kysely'
import type { LabelTable } from '../../../store/schema/issue-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { invalidField } from '../../failures.ts'
import { countRows } from '../../row-pages.ts'
import type { Label } from '../issue.ts'

export type LabelRow = Selectable<LabelTable>

export const toLabel = (row: Omit<LabelRow, 'repository_id' | 'name_key'>): Label => ({
  id: row.id,
  name: row.name,
  color: row.color,
  description: row.description,
  isDefault: row.is_default === 1,
})

/** Names are unique without regard to case. */
export const labelKey = (name: string): string => name.toLowerCase()

/** More labels than any client asks for at once. */
export const maxLabelsAsked = 50

/** The repository's issues that have at least one of these labels. */
export function labelledWithAny(db: Db, repositoryId: number, names: readonly string[]) {
  if (names.length > maxLabelsAsked)
    throw invalidField('labels', 'invalid', `Ask for ${maxLabelsAsked} labels at most.`)
  return db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .select('issue_label.issue_id')
    .where('label.repository_id', '=', repositoryId)
    .where('label.name_key', 'in', ['', ...names.map(labelKey)])
}

/** The color of a label that was created by putting it on an issue. */
export const plainColor = 'ededed'

/** Name, color, description: those that users of the public platform expect. */
const defaultLabels = [
  ['bug', 'd73a4a', "Something isn't working"],
  ['documentation', '0075ca', 'Improvements or additions to documentation'],
  ['duplicate', 'cfd3d7', 'This issue or pull request already exists'],
  ['enhancement', 'a2eeef', 'New feature or request'],
  ['good first issue', '7057ff', 'Good for newcomers'],
  ['help wanted', '008672', 'Extra attention is needed'],
  ['invalid', 'e4e669', "This doesn't seem right"],
  ['question', 'd876e3', 'Further information is requested'],
  ['wontfix', 'ffffff', 'This will not be worked on'],
] as const

/** Runs within the write that makes the repository. */
export async function insertDefaultLabels(trx: Db, repositoryId: number): Promise<void> {
  await trx
    .insertInto('label')
    .values(
      defaultLabels.map(([name, color, description]) => ({
        repository_id: repositoryId,
        name,
        name_key: labelKey(name),
        color,
        description,
        is_default: 1,
      })),
    )
    .execute()
}

/** The most of one repository. */
const maxLabels = 1_000

export async function demandRoomForLabels(trx: Db, repositoryId: number, more: number): Promise<void> {
  const present = await countRows(trx.selectFrom('label').where('repository_id', '=', repositoryId))
  if (present + more > maxLabels)
    throw invalidField('name', 'unprocessable', `A repository can have at most ${maxLabels} labels.`)
}
