/** An exercise sheet as other modules see it. Points and factors are in millionths. */
import type { Selectable } from 'kysely'
import type { SheetTable } from '../../store/schema/class-tables.ts'

export type SheetProblem = { readonly uuid: string; readonly displayName: string; readonly points: number }

export type SheetTemplate = { readonly repository: string; readonly organisation: string }

export type SheetDraft = {
  readonly title: string
  readonly description: string
  readonly openTime: number
  readonly dueTime: number | null
  readonly lateUntil: number | null
  readonly lateFactor: number
  readonly languages: readonly string[] | null
  readonly submissionLimit: number | null
  readonly isPublished: boolean
  readonly showsOthers: boolean
  readonly template: SheetTemplate | null
  readonly problems: readonly { readonly uuid: string; readonly points: number }[]
}

export type Extension = { readonly accountName: string; readonly dueTime: number; readonly note: string }

export type Sheet = Omit<SheetDraft, 'problems'> & {
  readonly id: number
  /** The id of its class. */
  readonly classId: string
  readonly problems: readonly SheetProblem[]
  /** Teachers see all; a student only their own. */
  readonly extensions: readonly Extension[]
}

export const toSheet = (row: Selectable<SheetTable>) => ({
  id: row.id,
  title: row.title,
  description: row.description,
  openTime: row.open_time,
  dueTime: row.due_time,
  lateUntil: row.late_until,
  lateFactor: row.late_factor,
  languages: row.languages === null ? null : (JSON.parse(row.languages) as string[]),
  submissionLimit: row.submission_limit,
  isPublished: row.is_published === 1,
  showsOthers: row.shows_others === 1,
  template:
    row.template_repository === null
      ? null
      : { repository: row.template_repository, organisation: row.template_organisation ?? '' },
})

export const toColumns = (draft: SheetDraft) => ({
  title: draft.title,
  description: draft.description,
  open_time: draft.openTime,
  due_time: draft.dueTime,
  late_until: draft.lateUntil,
  late_factor: draft.lateFactor,
  languages: draft.languages && JSON.stringify(draft.languages),
  submission_limit: draft.submissionLimit,
  is_published: Number(draft.isPublished),
  shows_others: Number(draft.showsOthers),
  template_repository: draft.template?.repository ?? null,
  template_organisation: draft.template?.organisation ?? null,
})
