/** JSON-RPC methods of exercise sheets, their results and marks, and comments on submissions. */
import { Type } from 'typebox'
import { classIdPattern } from '../../../judge/classes/class.ts'
import type { ClassResultRow, ResultCell, ResultRow } from '../../../judge/sheets/results.ts'
import type { Extension, Sheet, SheetDraft } from '../../../judge/sheets/sheet.ts'
import type { Mark } from '../../../judge/sheets/sheet-marks.ts'
import type { SheetNews } from '../../../judge/sheets/sheet-news.ts'
import type { SheetServices } from '../../../judge/sheets/sheet-services.ts'
import type { SubmissionComment } from '../../../judge/sheets/submission-comments.ts'
import { toMillionths, toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { defineMethod, type Method } from '../method.ts'
import { AccountName, Empty, NullableUint64, orNull, Text, Uint64, Uuid } from '../shapes/basic-shapes.ts'

const ClassID = Type.String({ pattern: classIdPattern })
/** Milliseconds since the epoch. */
const Time = Type.Integer({ format: 'uint64', minimum: 0, maximum: 8_640_000_000_000_000 })
const NullableTime = orNull<number>(Time)
const Points = Type.Number({ minimum: 0, maximum: 1_000_000 })
const NullablePoints = orNull<number>(Points)
const Language = Type.String({ minLength: 1, maxLength: 32 })
const Template = orNull<{ Repository: string; Organisation: string }>(
  Type.Object({ Repository: Text(1, 256), Organisation: AccountName }),
)

const fields = {
  Title: Text(1, 256),
  Description: Text(0, 100_000),
  OpenTime: Time,
  DueTime: NullableTime,
  LateUntil: NullableTime,
  LateFactor: Type.Number({ minimum: 0, maximum: 1 }),
  LanguageList: orNull<string[]>(Type.Array(Language, { minItems: 1, maxItems: 100 })),
  SubmissionLimit: orNull<number>(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  IsPublished: Type.Boolean(),
  ShowsOthers: Type.Boolean(),
  Template,
}
const ProblemList = Type.Array(Type.Object({ UUID: Uuid, Points }), { maxItems: 1_000 })
const optional = Type.Partial(Type.Object({ ...fields, ProblemList })).properties
const nullable = ['DueTime', 'LateUntil', 'LanguageList', 'SubmissionLimit', 'Template']

const ExtensionSchema = Type.Object({ AccountName, DueTime: Time, Note: Type.String() })
const SheetSchema = Type.Object({
  ID: Uint64,
  ClassID,
  ...fields,
  ProblemList: Type.Array(Type.Object({ UUID: Uuid, DisplayName: Type.String(), Points })),
  ExtensionList: Type.Array(ExtensionSchema),
})
const result = Type.Object({ Sheet: SheetSchema })

const presentExtension = ({ accountName, dueTime, note }: Extension) => ({
  AccountName: accountName,
  DueTime: dueTime,
  Note: note,
})

const presentSheet = (sheet: Sheet) => ({
  ID: sheet.id,
  ClassID: sheet.classId,
  Title: sheet.title,
  Description: sheet.description,
  OpenTime: sheet.openTime,
  DueTime: sheet.dueTime,
  LateUntil: sheet.lateUntil,
  LateFactor: toPoints(sheet.lateFactor),
  LanguageList: sheet.languages && [...sheet.languages],
  SubmissionLimit: sheet.submissionLimit,
  IsPublished: sheet.isPublished,
  ShowsOthers: sheet.showsOthers,
  Template: sheet.template && { Repository: sheet.template.repository, Organisation: sheet.template.organisation },
  ProblemList: sheet.problems.map(({ uuid, displayName, points }) => ({
    UUID: uuid,
    DisplayName: displayName,
    Points: toPoints(points),
  })),
  ExtensionList: sheet.extensions.map(presentExtension),
})

type Given = {
  Title?: string
  Description?: string
  OpenTime?: number
  DueTime?: number | null
  LateUntil?: number | null
  LateFactor?: number
  LanguageList?: string[] | null
  SubmissionLimit?: number | null
  IsPublished?: boolean
  ShowsOthers?: boolean
  Template?: { Repository: string; Organisation: string } | null
  ProblemList?: { UUID: string; Points: number }[]
}

const toDraft = (given: Given): Partial<SheetDraft> => ({
  ...(given.Title !== undefined && { title: given.Title }),
  ...(given.Description !== undefined && { description: given.Description }),
  ...(given.OpenTime !== undefined && { openTime: given.OpenTime }),
  ...(given.DueTime !== undefined && { dueTime: given.DueTime }),
  ...(given.LateUntil !== undefined && { lateUntil: given.LateUntil }),
  ...(given.LateFactor !== undefined && { lateFactor: toMillionths(given.LateFactor) }),
  ...(given.LanguageList !== undefined && { languages: given.LanguageList }),
  ...(given.SubmissionLimit !== undefined && { submissionLimit: given.SubmissionLimit }),
  ...(given.IsPublished !== undefined && { isPublished: given.IsPublished }),
  ...(given.ShowsOthers !== undefined && { showsOthers: given.ShowsOthers }),
  ...(given.Template !== undefined && {
    template: given.Template && { repository: given.Template.Repository, organisation: given.Template.Organisation },
  }),
  ...(given.ProblemList !== undefined && {
    problems: given.ProblemList.map(({ UUID, Points }) => ({ uuid: UUID, points: toMillionths(Points) })),
  }),
})

type PresentedMark = {
  Points: number | null
  Comment: string
  SetBy: string
  SetByName: string
  SetTime: number
  SubmissionID: number | null
  NewerID: number | null
}
const MarkSchema = orNull<PresentedMark>(
  Type.Object({
    Points: NullablePoints,
    Comment: Type.String(),
    SetBy: AccountName,
    SetByName: Type.String(),
    SetTime: Time,
    /** The submission that was marked; null if there was none. */
    SubmissionID: NullableUint64,
    /** The latest submission that counts and came after the mark was set. */
    NewerID: NullableUint64,
  }),
)
const presentMark = (mark: Mark | null) =>
  mark && {
    Points: presentPoints(mark.points),
    Comment: mark.comment,
    SetBy: mark.setBy,
    SetByName: mark.setByName,
    SetTime: mark.setAt,
    SubmissionID: mark.submissionId,
    NewerID: mark.newerId,
  }

const presentPoints = (points: number | null) => (points === null ? null : toPoints(points))

const CellSchema = Type.Object({
  Points: NullablePoints,
  Tries: Uint64,
  IsLate: Type.Boolean(),
  BestID: NullableUint64,
  WaitingCount: Uint64,
  Mark: MarkSchema,
})
const presentCell = ({ points, tries, isLate, bestId, waiting, mark }: ResultCell) => ({
  Points: presentPoints(points),
  Tries: tries,
  IsLate: isLate,
  BestID: bestId,
  WaitingCount: waiting,
  Mark: presentMark(mark),
})
const RowSchema = Type.Object({
  AccountName,
  RosterName: Type.String(),
  /** Whether the student is no longer in the class. */
  HasLeft: Type.Boolean(),
  CellList: Type.Array(CellSchema),
  Total: Type.Number(),
})
const presentRow = ({ accountName, rosterName, hasLeft, cells, total }: ResultRow) => ({
  AccountName: accountName,
  RosterName: rosterName,
  HasLeft: hasLeft,
  CellList: cells.map(presentCell),
  Total: toPoints(total),
})

const ClassRowSchema = Type.Object({
  AccountName,
  RosterName: Type.String(),
  HasLeft: Type.Boolean(),
  /** One for each sheet; null if nothing was tried or marked. */
  TotalList: Type.Array(NullablePoints),
  Total: Type.Number(),
  WaitingCount: Uint64,
})
const presentClassRow = ({ accountName, rosterName, hasLeft, totals, total, waiting }: ClassResultRow) => ({
  AccountName: accountName,
  RosterName: rosterName,
  HasLeft: hasLeft,
  TotalList: totals.map(presentPoints),
  Total: toPoints(total),
  WaitingCount: waiting,
})

const NewsSchema = Type.Object({
  SheetID: Uint64,
  ClassID,
  Title: Type.String(),
  MarkCount: Uint64,
  CommentCount: Uint64,
  SubmissionIDList: Type.Array(Uint64),
  RejudgedIDList: Type.Array(Uint64),
  Time,
})
const presentNews = (news: SheetNews) => ({
  SheetID: news.sheetId,
  ClassID: news.classId,
  Title: news.title,
  MarkCount: news.markCount,
  CommentCount: news.commentCount,
  SubmissionIDList: [...news.submissionIds],
  RejudgedIDList: [...news.rejudgedIds],
  Time: news.time,
})

const CommentSchema = Type.Object({
  ID: Uint64,
  AccountName,
  DisplayName: Type.String(),
  Line: NullableUint64,
  Text: Type.String(),
  Time,
})
const presentComment = ({ id, authorName, authorDisplayName, line, text, createdAt }: SubmissionComment) => ({
  ID: id,
  AccountName: authorName,
  DisplayName: authorDisplayName,
  Line: line,
  Text: text,
  Time: createdAt,
})

export const sheetMethods = ({
  sheets,
  renderSheet,
  sheetNews,
  sheetResults,
  sheetMarks,
  classResults,
  submissionComments,
}: SheetServices): Method[] => [
  defineMethod({
    name: 'create_sheet',
    summary: 'Makes an exercise sheet of a class.',
    nullIsAbsent: true,
    params: Type.Object({ ...optional, ClassID, Title: fields.Title, OpenTime: Time }),
    result,
    async run({ actor }, { ClassID, ...given }) {
      const draft = { ...emptySheet, ...toDraft(given as Given) } as SheetDraft
      return { Sheet: presentSheet(await sheets.create(actor, ClassID, draft)) }
    },
  }),

  defineMethod({
    name: 'get_sheet',
    summary: 'Reads one sheet; students from its OpenTime on.',
    params: Type.Object({ ID: Uint64 }),
    result,
    async run({ actor }, { ID }) {
      return { Sheet: presentSheet(await sheets.get(actor, ID)) }
    },
  }),

  defineMethod({
    name: 'get_sheet_statement',
    summary: 'A sheet’s Description as safe HTML, its maths as MathML.',
    params: Type.Object({ ID: Uint64 }),
    result: Type.Object({ HTML: Type.String() }),
    async run({ actor }, { ID }) {
      return { HTML: await renderSheet(actor, ID) }
    },
  }),

  defineMethod({
    name: 'get_sheet_list',
    summary: 'Lists the sheets of a class, by the time they open.',
    params: Type.Object({ ClassID }),
    result: Type.Object({ SheetList: Type.Array(SheetSchema) }),
    async run({ actor }, { ClassID }) {
      return { SheetList: (await sheets.list(actor, ClassID)).map(presentSheet) }
    },
  }),

  defineMethod({
    name: 'get_sheet_news',
    summary:
      'Lists sheets with news that you have not seen, latest first: marks and comments, or your students’ comments.',
    params: Type.Object({}),
    result: Type.Object({ NewsList: Type.Array(NewsSchema) }),
    async run({ actor }) {
      return { NewsList: (await sheetNews.list(actor)).map(presentNews) }
    },
  }),

  defineMethod({
    name: 'see_sheet',
    summary: 'Marks the marks and comments of a sheet as seen.',
    params: Type.Object({ SheetID: Uint64 }),
    result: Empty,
    async run({ actor }, { SheetID }) {
      await sheetNews.see(actor, SheetID)
      return {}
    },
  }),

  defineMethod({
    name: 'update_sheet',
    summary: 'Changes the given parts of a sheet.',
    nullIsAbsent: { except: nullable },
    params: Type.Object({ ID: Uint64, ...optional }),
    result,
    async run({ actor }, { ID, ...given }) {
      return { Sheet: presentSheet(await sheets.update(actor, ID, toDraft(given as Given))) }
    },
  }),

  defineMethod({
    name: 'delete_sheet',
    summary: 'Deletes a sheet; one in which submissions count only with IsForced.',
    nullIsAbsent: true,
    params: Type.Object({ ID: Uint64, IsForced: Type.Optional(Type.Boolean()) }),
    result: Empty,
    async run({ actor }, { ID, IsForced = false }) {
      await sheets.delete(actor, ID, IsForced)
      return {}
    },
  }),

  defineMethod({
    name: 'put_extension',
    summary: 'Gives one student another due time.',
    nullIsAbsent: true,
    params: Type.Object({ SheetID: Uint64, AccountName, DueTime: Time, Note: Type.Optional(Text(0, 1_000)) }),
    result: Type.Object({ Extension: ExtensionSchema }),
    async run({ actor }, { SheetID, AccountName, DueTime, Note = '' }) {
      const extension = { accountName: AccountName, dueTime: DueTime, note: Note }
      return { Extension: presentExtension(await sheets.putExtension(actor, SheetID, extension)) }
    },
  }),

  defineMethod({
    name: 'delete_extension',
    summary: 'Removes a student’s extension.',
    params: Type.Object({ SheetID: Uint64, AccountName }),
    result: Empty,
    async run({ actor }, { SheetID, AccountName }) {
      await sheets.deleteExtension(actor, SheetID, AccountName)
      return {}
    },
  }),

  defineMethod({
    name: 'get_sheet_results',
    summary: 'The results of every student of the class; students get their own.',
    params: Type.Object({ SheetID: Uint64 }),
    result: Type.Object({ ProblemList: SheetSchema.properties.ProblemList, RowList: Type.Array(RowSchema) }),
    async run({ actor }, { SheetID }) {
      const { sheet, rows } = await sheetResults.get(actor, SheetID)
      return { ProblemList: presentSheet(sheet).ProblemList, RowList: rows.map(presentRow) }
    },
  }),

  defineMethod({
    name: 'get_class_results',
    summary: 'The results of all published sheets of a class: a row for every student, their points in each sheet.',
    params: Type.Object({ ClassID }),
    result: Type.Object({
      SheetList: Type.Array(Type.Object({ ID: Uint64, Title: Type.String(), Points: Type.Number() })),
      RowList: Type.Array(ClassRowSchema),
    }),
    async run({ actor }, { ClassID }) {
      const { sheets: columns, rows } = await classResults.get(actor, ClassID)
      return {
        SheetList: columns.map(({ id, title, points }) => ({ ID: id, Title: title, Points: toPoints(points) })),
        RowList: rows.map(presentClassRow),
      }
    },
  }),

  defineMethod({
    name: 'store_sheet_results',
    summary: 'Stores the results as a data set, or fills it anew where one of that name is there.',
    params: Type.Object({
      SheetID: Uint64,
      Name: Type.String({ pattern: '^[a-z0-9A-Z](?:[a-z0-9A-Z-]{0,61}[a-z0-9A-Z])?$' }),
    }),
    result: Type.Object({ DatasetID: Type.String(), DatasetName: Type.String(), ItemCount: Uint64 }),
    async run({ actor }, { SheetID, Name }) {
      const { datasetId, itemCount } = await sheetResults.storeAsDataset(actor, SheetID, Name)
      return { DatasetID: datasetId, DatasetName: Name, ItemCount: itemCount }
    },
  }),

  defineMethod({
    name: 'put_mark',
    summary: 'Replaces the computed points of a student’s problem; null with an empty Comment removes the mark.',
    params: Type.Object({
      SheetID: Uint64,
      AccountName,
      UUID: Uuid,
      Points: NullablePoints,
      Comment: Type.Optional(Text(0, 10_000)),
      /** The submission that is marked; without it the best one. */
      SubmissionID: Type.Optional(Uint64),
    }),
    result: Type.Object({ Mark: MarkSchema }),
    async run({ actor }, { SheetID, AccountName, UUID, Points, Comment = '', SubmissionID }) {
      const points = Points === null ? null : toMillionths(Points)
      const place = { sheetId: SheetID, accountName: AccountName, uuid: UUID, submissionId: SubmissionID }
      return { Mark: presentMark(await sheetMarks.put(actor, { ...place, points, comment: Comment })) }
    },
  }),

  defineMethod({
    name: 'put_submission_comment',
    summary: 'Comments on a submission, or on a line of it.',
    params: Type.Object({
      ID: Uint64,
      Line: Type.Optional(orNull<number>(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
      Text: Text(1, 10_000),
    }),
    result: Type.Object({ Comment: CommentSchema }),
    async run({ actor }, { ID, Line = null, Text }) {
      return { Comment: presentComment(await submissionComments.put(actor, ID, Line, Text)) }
    },
  }),

  defineMethod({
    name: 'get_submission_comment_list',
    summary: 'Lists the comments on a submission, oldest first.',
    params: Type.Object({ ID: Uint64 }),
    result: Type.Object({ CommentList: Type.Array(CommentSchema) }),
    async run({ actor }, { ID }) {
      return { CommentList: (await submissionComments.list(actor, ID)).map(presentComment) }
    },
  }),

  defineMethod({
    name: 'delete_submission_comment',
    summary: 'Deletes one of your own comments; admins can delete any.',
    params: Type.Object({ ID: Uint64, CommentID: Uint64 }),
    result: Empty,
    async run({ actor }, { ID, CommentID }) {
      await submissionComments.delete(actor, ID, CommentID)
      return {}
    },
  }),
]

const emptySheet: Omit<SheetDraft, 'title' | 'openTime'> = {
  description: '',
  dueTime: null,
  lateUntil: null,
  lateFactor: toMillionths(1),
  languages: null,
  submissionLimit: null,
  isPublished: false,
  showsOthers: false,
  template: null,
  problems: [],
}
