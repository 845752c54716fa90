/** Classes, sheets and results, as the judge's interface has them. */

export type Class = {
  readonly ID: string
  readonly Name: string
  readonly TeacherList: readonly string[]
  /** The names that the teachers show, in the same order. */
  readonly TeacherNameList: readonly string[]
  readonly StudentCount: number
  /** Null where there is none, and to students. */
  readonly JoinCode: string | null
  readonly IsArchived: boolean
  /** Whether the reader was added by a teacher and has not accepted yet. */
  readonly IsInvited: boolean
}
export type Member = {
  readonly AccountID: number
  readonly AccountName: string
  readonly DisplayName: string
  readonly RosterName: string
  readonly Role: 'teacher' | 'student'
  readonly IsCreatedHere: boolean
  readonly MaySetPassword: boolean
  readonly IsInvited: boolean
}
export const rosterFields = ['FirstName', 'LastName', 'FullName', 'Login', 'Email', 'Number'] as const
export type RosterField = (typeof rosterFields)[number]
/** The column of each field, counted from 0. */
export type Mapping = Partial<Record<RosterField, number>>
export type KnownStudent = { readonly AccountName: string; readonly ClassName: string; readonly By: string }
export type LineLogin = { readonly Line: number; readonly AccountName: string }
export type RosterRow = {
  readonly Line: number
  readonly AccountName: string
  readonly RosterName: string
  readonly Act: 'create' | 'join' | 'refuse'
  readonly Reason: string
  readonly Password?: string
  /** A student of another class of the reader who may be the same person. */
  readonly Known: KnownStudent | null
  /** Several of them who have this name. */
  readonly NamesakeList: readonly KnownStudent[]
  /** Refused, but a login for the line helps. */
  readonly NeedsLogin: boolean
}
export type Roster = {
  readonly ColumnList: readonly { readonly Header: string; readonly Field: RosterField | null }[]
  readonly RowList: readonly RosterRow[]
}
/** An import of the last day. */
export type RosterImport = {
  readonly Time: number
  readonly CreatedCount: number
  readonly AccountNameList: readonly string[]
}
export type UndoneRow = {
  readonly AccountName: string
  readonly Act: 'delete' | 'remove' | 'keep'
  readonly Reason: string
}
export type Extension = { readonly AccountName: string; readonly DueTime: number; readonly Note: string }
export type SheetProblem = { readonly UUID: string; readonly DisplayName: string; readonly Points: number }
/** What students get a copy of, and the organisation in which the copies are made. */
export type SheetTemplate = { readonly Repository: string; readonly Organisation: string }
export type SheetDraft = {
  readonly Title: string
  /** Markdown. */
  readonly Description: string
  readonly OpenTime: number
  readonly DueTime: number | null
  readonly LateUntil: number | null
  readonly LateFactor: number
  readonly ProblemList: readonly { readonly UUID: string; readonly Points: number }[]
  readonly LanguageList: readonly string[] | null
  readonly SubmissionLimit: number | null
  readonly IsPublished: boolean
  readonly ShowsOthers: boolean
  readonly Template: SheetTemplate | null
}
export type Sheet = Omit<SheetDraft, 'ProblemList'> & {
  readonly ID: number
  readonly ClassID: string
  readonly ProblemList: readonly SheetProblem[]
  /** Students get only their own. */
  readonly ExtensionList: readonly Extension[]
}
export type Mark = {
  readonly Points: number | null
  readonly Comment: string
  readonly SetBy: string
  /** The name that the teacher shows. */
  readonly SetByName: string
  readonly SetTime: number
  /** The submission that was marked; null if there was none. */
  readonly SubmissionID: number | null
  /** The latest submission that counts and came after the mark was set. */
  readonly NewerID: number | null
}
export type ResultCell = {
  /** Null: no submission counts. */
  readonly Points: number | null
  readonly Tries: number
  readonly IsLate: boolean
  readonly BestID: number | null
  /** Submissions that are being judged or wait for it: they count 0 points until then. */
  readonly WaitingCount: number
  readonly Mark: Mark | null
}
export type ResultRow = {
  readonly AccountName: string
  readonly RosterName: string
  /** Whether the student is no longer in the class. */
  readonly HasLeft: boolean
  readonly CellList: readonly ResultCell[]
  readonly Total: number
}
export type Results = { readonly ProblemList: readonly SheetProblem[]; readonly RowList: readonly ResultRow[] }
export type ClassResultRow = {
  readonly AccountName: string
  readonly RosterName: string
  readonly HasLeft: boolean
  /** One for each sheet; null if nothing was tried or marked. */
  readonly TotalList: readonly (number | null)[]
  readonly Total: number
  readonly WaitingCount: number
}
export type ClassResults = {
  readonly SheetList: readonly { readonly ID: number; readonly Title: string; readonly Points: number }[]
  readonly RowList: readonly ClassResultRow[]
}
export type SheetCopy = { readonly AccountName: string; readonly RosterName: string; readonly Repository: string }
export type SheetNews = {
  readonly SheetID: number
  readonly ClassID: string
  readonly Title: string
  readonly MarkCount: number
  readonly CommentCount: number
  readonly SubmissionIDList: readonly number[]
  readonly RejudgedIDList: readonly number[]
  readonly Time: number
}
export type AlikeSide = { readonly AccountName: string; readonly RosterName: string; readonly SubmissionID: number }
/** Lines, from 1. */
export type AlikePart = {
  readonly LeftStart: number
  readonly LeftEnd: number
  readonly RightStart: number
  readonly RightEnd: number
}
export type AlikePair = {
  readonly Similarity: number
  readonly Left: AlikeSide
  readonly Right: AlikeSide
  readonly PartList: readonly AlikePart[]
}
export type Similarity = {
  readonly PairList: readonly AlikePair[]
  readonly ComparedCount: number
  readonly LeftOutCount: number
}
export type ProblemLinkDraft = {
  readonly Repository: string
  readonly UUID: string
  readonly Path: string
  /** Absent: the default branch. */
  readonly Branch?: string
  /** Absent: detected from the path's extension. */
  readonly Language?: string
}
export type ProblemLink = {
  readonly Repository: string
  readonly UUID: string
  readonly DisplayName: string
  readonly Path: string
  readonly Branch: string | null
  readonly Language: string
}
export type SubmissionComment = {
  readonly ID: number
  readonly AccountName: string
  readonly DisplayName: string
  readonly Line: number | null
  readonly Text: string
  readonly Time: number
}

type Empty = Record<never, never>
type Operation<P, R> = { readonly params: P; readonly result: R }
type OfClass = { readonly Class: Class }
type OfSheet = { readonly Sheet: Sheet }

export type ClassOperations = {
  create_class: Operation<{ ID: string; Name: string; HasJoinCode?: boolean }, OfClass>
  get_class: Operation<{ ID: string }, OfClass>
  get_class_list: Operation<Empty, { readonly TotalClassCount: number; readonly ClassList: readonly Class[] }>
  update_class: Operation<{ ID: string; Name?: string; IsArchived?: boolean; HasJoinCode?: boolean }, OfClass>
  delete_class: Operation<{ ID: string }, Empty>
  join_class: Operation<{ JoinCode: string }, OfClass>
  accept_class_invitation: Operation<{ ClassID: string }, OfClass>
  get_sheet_news: Operation<Empty, { readonly NewsList: readonly SheetNews[] }>
  see_sheet: Operation<{ SheetID: number }, Empty>
  put_class_member: Operation<
    { ClassID: string; AccountName: string; Role: Member['Role']; RosterName?: string },
    { readonly Member: Member }
  >
  delete_class_member: Operation<{ ClassID: string; AccountName: string }, Empty>
  get_class_member_list: Operation<
    { ClassID: string; Offset?: number; Limit?: number },
    { readonly TotalMemberCount: number; readonly MemberList: readonly Member[] }
  >
  import_roster: Operation<
    {
      ClassID: string
      Text: string
      Mapping?: Mapping
      IsDryRun?: boolean
      TakenLineList?: readonly number[]
      LoginList?: readonly LineLogin[]
    },
    Roster
  >
  get_roster_import_list: Operation<{ ClassID: string }, { readonly ImportList: readonly RosterImport[] }>
  undo_roster_import: Operation<
    { ClassID: string; AccountNameList: readonly string[] },
    { readonly RowList: readonly UndoneRow[] }
  >
  create_sheet: Operation<SheetDraft & { ClassID: string }, OfSheet>
  get_sheet: Operation<{ ID: number }, OfSheet>
  get_sheet_statement: Operation<{ ID: number }, { readonly HTML: string }>
  get_sheet_list: Operation<{ ClassID: string }, { readonly SheetList: readonly Sheet[] }>
  update_sheet: Operation<Partial<SheetDraft> & { ID: number }, OfSheet>
  delete_sheet: Operation<{ ID: number; IsForced?: boolean }, Empty>
  put_extension: Operation<Extension & { SheetID: number }, { readonly Extension: Extension }>
  delete_extension: Operation<{ SheetID: number; AccountName: string }, Empty>
  get_class_results: Operation<{ ClassID: string }, ClassResults>
  get_sheet_results: Operation<{ SheetID: number }, Results>
  store_sheet_results: Operation<
    { SheetID: number; Name: string },
    { readonly DatasetID: string; readonly DatasetName: string; readonly ItemCount: number }
  >
  accept_sheet: Operation<{ SheetID: number }, { readonly Repository: string }>
  get_sheet_copy_list: Operation<{ SheetID: number }, { readonly SheetCopyList: readonly SheetCopy[] }>
  get_similarity: Operation<{ SheetID: number; UUID: string }, Similarity>
  put_problem_link: Operation<ProblemLinkDraft, { readonly ProblemLink: ProblemLink }>
  get_problem_link_list: Operation<{ Repository: string }, { readonly ProblemLinkList: readonly ProblemLink[] }>
  get_problem_repository_list: Operation<{ UUID: string }, { readonly ProblemLinkList: readonly ProblemLink[] }>
  delete_problem_link: Operation<{ Repository: string; UUID: string }, Empty>
  put_mark: Operation<
    {
      SheetID: number
      AccountName: string
      UUID: string
      Points: number | null
      Comment: string
      SubmissionID?: number
    },
    { readonly Mark: Mark | null }
  >
  put_submission_comment: Operation<
    { ID: number; Line: number | null; Text: string },
    { readonly Comment: SubmissionComment }
  >
  get_submission_comment_list: Operation<{ ID: number }, { readonly CommentList: readonly SubmissionComment[] }>
  delete_submission_comment: Operation<{ ID: number; CommentID: number }, Empty>
}
