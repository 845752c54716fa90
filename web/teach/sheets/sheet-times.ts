/** When a sheet is due for one person, and what that means for them. */
import type { Extension, Sheet } from '../../api/classes.ts'

/** A student's list has their own extension alone. */
export const extensionOf = ({ ExtensionList }: Sheet, accountName: string | undefined): Extension | undefined =>
  ExtensionList.find(({ AccountName }) => AccountName === accountName)

export const dueTimeOf = (sheet: Sheet, accountName: string | undefined): number | null =>
  sheet.DueTime === null ? null : (extensionOf(sheet, accountName)?.DueTime ?? sheet.DueTime)

export type SheetState = 'draft' | 'planned' | 'open' | 'late' | 'over'

export function stateOf(sheet: Sheet, due: number | null, now: number): SheetState {
  if (!sheet.IsPublished) return 'draft'
  if (now < sheet.OpenTime) return 'planned'
  if (due === null || now <= due) return 'open'
  return sheet.LateUntil !== null && now <= sheet.LateUntil ? 'late' : 'over'
}

export const sumPoints = ({ ProblemList }: Pick<Sheet, 'ProblemList'>): number =>
  toExact(ProblemList.reduce((sum, { Points }) => sum + Points * 1_000_000, 0) / 1_000_000)

/** Points are whole millionths. */
export const toExact = (points: number): number => Math.round(points * 1_000_000) / 1_000_000

export const formatPoints = (points: number): string =>
  points.toLocaleString('en', { maximumFractionDigits: 2, useGrouping: false })
