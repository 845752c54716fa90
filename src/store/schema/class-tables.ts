/** The tables of classes. */
import type { Generated } from 'kysely'

export type ClassTable = {
  id: Generated<number>
  /** What callers name it by. */
  public_id: string
  name: string
  /** Null: nobody joins by a code. */
  join_code: string | null
  is_archived: Generated<number>
  created_at: number
}

export type ClassMemberTable = {
  class_id: number
  account_id: number
  role: 'teacher' | 'student'
  /** What teachers see, whatever the account calls itself. */
  roster_name: string
  /** 1: a roster of this class made the account, so that its teachers may set a new password. */
  is_created_here: Generated<number>
  /** 1: a teacher added an account that was there before. What its owner did before that is not shown to the class. */
  is_put_in: Generated<number>
  /** 1: a student whom a teacher added and who has not accepted: see `selectBound` of sheet-access. */
  is_invited: Generated<number>
  joined_at: number
}

/** Students who left by themselves: what they handed in while they were in the class stays. */
export type ClassLeftTable = { class_id: number; account_id: number; is_created_here: number; left_at: number }

/** An exercise sheet. Points and factors are whole millionths. */
export type SheetTable = {
  id: Generated<number>
  class_id: number
  title: string
  /** Markdown. */
  description: string
  open_time: number
  due_time: number | null
  late_until: number | null
  late_factor: number
  /** JSON array of names; null: every language. */
  languages: string | null
  submission_limit: number | null
  is_published: number
  shows_others: number
  template_repository: string | null
  template_organisation: string | null
  /** Whose rights copy the template. Null where there is none, or that account is gone. */
  template_set_by: number | null
  created_at: number
}

export type SheetProblemTable = {
  sheet_id: number
  problem_id: number
  position: number
  points: number
  /** 1: it was put in by somebody who keeps it, so that the sheet opens it though it is held. */
  opens_held: number
}

/** A due time for one student. */
export type SheetExtensionTable = {
  sheet_id: number
  account_id: number
  due_time: number
  note: string
  set_by: number
  set_at: number
}

/** What a teacher decided instead of the computed points, or beside them. */
export type SheetMarkTable = {
  sheet_id: number
  account_id: number
  problem_id: number
  /** Null: the computed points stay. */
  points: number | null
  comment: string
  set_by: number
  set_at: number
}

export type SubmissionCommentTable = {
  id: Generated<number>
  submission_id: number
  author_id: number
  /** Null: on the whole program. */
  line: number | null
  text: string
  created_at: number
}

/** When a student last looked at a sheet: marks and comments since then are news. */
export type SheetSeenTable = { sheet_id: number; account_id: number; seen_at: number }

/** A student's copy of the sheet's template. */
export type SheetCopyTable = { sheet_id: number; account_id: number; repository_id: number; created_at: number }

/** A file of a repository that is handed in to a problem when it is pushed. */
export type ProblemLinkTable = {
  id: Generated<number>
  repository_id: number
  problem_id: number
  path: string
  /** Null: the default branch. */
  branch: string | null
  language: string
  created_at: number
}

/** What came of a linked file that a push changed. */
export type PushedFileTable = {
  push_id: number
  problem_id: number
  repository_id: number
  sha: string
  pusher_id: number
  /** Of the commit's status. */
  context: string
  /** Null: it was refused, or the submission is gone. */
  submission_id: number | null
  /** The status that was set last, in a few words. */
  told: string
}

export type ClassesSchema = {
  class: ClassTable
  class_member: ClassMemberTable
  class_left: ClassLeftTable
  sheet: SheetTable
  sheet_problem: SheetProblemTable
  sheet_extension: SheetExtensionTable
  sheet_mark: SheetMarkTable
  submission_comment: SubmissionCommentTable
  sheet_copy: SheetCopyTable
  sheet_seen: SheetSeenTable
  problem_link: ProblemLinkTable
  pushed_file: PushedFileTable
}
