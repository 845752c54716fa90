/** The tables of classes. */
import type { Generated } from 'kysely'

export type ClassTable = {
  id: Generated<number>
  /** The id that callers use. */
  public_id: string
  name: string
  /** Null if nobody can join by a code. */
  join_code: string | null
  is_archived: Generated<number>
  created_at: number
}

export type ClassMemberTable = {
  class_id: number
  account_id: number
  role: 'teacher' | 'student'
  /** The name that teachers see, whatever the account's display name is. */
  roster_name: string
  /** 1 if a roster of this class created the account, so that its teachers may set a new password. */
  is_created_here: Generated<number>
  /** 1 if a teacher added an existing account. The class does not see what its owner did before. */
  is_put_in: Generated<number>
  /** 1 for a student whom a teacher added and who has not accepted: see `isBound` in sheet-access. */
  is_invited: Generated<number>
  joined_at: number
}

/** Students who left or were removed: what counted until then stays. */
export type ClassLeftTable = {
  class_id: number
  account_id: number
  roster_name: string
  is_created_here: number
  joined_at: number
  left_at: number
}

/** What a roster tells of a student besides the name; empty where it tells nothing. Kept when the student leaves. */
export type RosterDetailTable = {
  class_id: number
  account_id: number
  given_name: string
  family_name: string
  student_number: string
  /** In lower case. */
  email: string
}

/** A submission that counted in a sheet when its author left the class. */
export type LeftSubmissionTable = { class_id: number; account_id: number; sheet_id: number; submission_id: number }

/** An exercise sheet. Points and factors are in millionths. */
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
  /** JSON array of names; null means every language. */
  languages: string | null
  submission_limit: number | null
  is_published: number
  shows_others: number
  template_repository: string | null
  template_organisation: string | null
  /** The account with whose rights the template is copied. Null without a template, or if that account is gone. */
  template_set_by: number | null
  created_at: number
}

export type SheetProblemTable = {
  sheet_id: number
  problem_id: number
  position: number
  points: number
  /** 1 if an owner of the problem added it, so that the sheet opens it even if it is held. */
  opens_held: number
}

/** A due time of one student. */
export type SheetExtensionTable = {
  sheet_id: number
  account_id: number
  due_time: number
  note: string
  set_by: number
  set_at: number
}

/** A teacher's decision instead of, or in addition to, the computed points. */
export type SheetMarkTable = {
  sheet_id: number
  account_id: number
  problem_id: number
  /** Null keeps the computed points. */
  points: number | null
  comment: string
  set_by: number
  set_at: number
  /** The submission that the teacher marked; null if there was none, or it is gone. */
  submission_id: number | null
}

export type SubmissionCommentTable = {
  id: Generated<number>
  submission_id: number
  author_id: number
  /** Null means the whole program. */
  line: number | null
  text: string
  created_at: number
}

/** When a student or teacher last opened a sheet: marks and comments since then are news. */
export type SheetSeenTable = { sheet_id: number; account_id: number; seen_at: number }

/** A student's copy of the sheet's template. */
export type SheetCopyTable = {
  sheet_id: number
  account_id: number
  repository_id: number
  created_at: number
  /** The template's commit that it began with. Null for older copies. */
  first_commit: string | null
}

/** A file of a repository that is submitted to a problem when it is pushed. */
export type ProblemLinkTable = {
  id: Generated<number>
  repository_id: number
  problem_id: number
  path: string
  /** Null means the default branch. */
  branch: string | null
  language: string
  created_at: number
}

/** The result of a linked file that a push changed. */
export type PushedFileTable = {
  push_id: number
  problem_id: number
  repository_id: number
  sha: string
  pusher_id: number
  /** The context of the commit's status. */
  context: string
  /** Null if it was refused, or the submission is gone. */
  submission_id: number | null
  /** A short form of the status that was last set. */
  told: string
}

export type ClassesSchema = {
  class: ClassTable
  class_member: ClassMemberTable
  class_left: ClassLeftTable
  left_submission: LeftSubmissionTable
  roster_detail: RosterDetailTable
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
