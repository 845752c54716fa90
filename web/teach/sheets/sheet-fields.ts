/** The fields of a sheet that its form edits, and how the page names and shows them. */
import type { SheetDraft, SheetProblem } from '../../api/classes.ts'
import { formatMoment } from '../../parts/due.tsx'
import type { FieldWords } from '../../parts/meanwhile.tsx'
import { formatPoints } from './sheet-times.ts'

export const pickDraft = (sheet: SheetDraft): SheetDraft => ({
  Title: sheet.Title,
  Description: sheet.Description,
  OpenTime: sheet.OpenTime,
  DueTime: sheet.DueTime,
  LateUntil: sheet.LateUntil,
  LateFactor: sheet.LateFactor,
  ProblemList: sheet.ProblemList.map(({ UUID, Points }) => ({ UUID, Points })),
  LanguageList: sheet.LanguageList,
  SubmissionLimit: sheet.SubmissionLimit,
  IsPublished: sheet.IsPublished,
  ShowsOthers: sheet.ShowsOthers,
  Template: sheet.Template,
})

const showTime = (time: number | null): string => (time === null ? 'none' : formatMoment(time))

/** `known` names the problems. */
export const nameSheetFields = (known: readonly SheetProblem[]): FieldWords<SheetDraft> => ({
  Title: ['Title'],
  Description: ['Text'],
  OpenTime: ['Opens', showTime],
  DueTime: ['Due', showTime],
  LateUntil: ['Late until', showTime],
  LateFactor: ['Late submissions count (%)', (factor) => String(Math.round(factor * 1_000_000) / 10_000)],
  ProblemList: [
    'Problems',
    (list) =>
      list
        .map(
          ({ UUID, Points }) =>
            `${known.find((one) => one.UUID === UUID)?.DisplayName ?? UUID}: ${formatPoints(Points)}`,
        )
        .join('\n'),
  ],
  LanguageList: ['Languages', (list) => list?.join(', ') ?? 'all'],
  SubmissionLimit: ['Submissions to each problem', (limit) => (limit === null ? 'no limit' : String(limit))],
  IsPublished: ['Visibility', (isPublished) => (isPublished ? 'Published' : 'Draft')],
  ShowsOthers: ['Students see each other’s verdicts'],
  Template: ['Template', (template) => (template ? `${template.Repository}\n${template.Organisation}` : 'none')],
})
