/** The tables of the judge's room. */
import type { Generated } from 'kysely'

export type ProblemTable = {
  id: Generated<number>
  uuid: string
  author_id: number
  display_name: string
  description: string
  time_limit_ms: number
  memory_limit_bytes: number
  /** JSON array of {input, output}. */
  examples: string
  /** Drawn for it: what others are shown of its test list is a hash under this key. */
  hash_key: string
  /** SHA-256 of the test list. */
  test_hash: string
  test_count: number
  /** Where the next test case goes; never goes back, so that a place is never used twice. */
  next_position: number
  created_at: number
  updated_at: number
  /** 1: only its author and admins see it. */
  is_held: Generated<number>
  /** Which features an executor must have to judge it: see judge/features.ts. */
  needs: Generated<number>
  /** A hash over every change of how it is judged, one after another; empty before the first. */
  judging_state: Generated<string>
  /** JSON array of {language, timeFactor}. */
  time_factors: Generated<string>
  /** How often its checker or interactor failed. */
  fault_count: Generated<number>
  /** JSON; null where its judging has changed since. */
  last_fault: string | null
}

/** How a problem is judged, where it is not the plain way. */
export type ProblemJudgingTable = {
  problem_id: number
  /** The author of its problem, and what the programs hold: triggers sum them up in `test_usage`. */
  owner_id: number
  bytes: number
  /** JSON of all but the programs. */
  settings: string
  /** JSON of {language, files}, in UTF-8. */
  checker: Uint8Array | null
  interactor: Uint8Array | null
}

export type TestCaseTable = {
  id: Generated<number>
  uuid: string
  /** Null while the upload that brought it is not finished: then nobody sees it. */
  problem_id: number | null
  upload_id: string | null
  position: number
  is_hidden: number
  /** SHA-256 of what it holds. */
  digest: string
  /** The author of its problem, and what the two texts hold: triggers sum them up in `test_usage`. */
  owner_id: Generated<number>
  bytes: Generated<number>
  /** What lists show of the two texts: their data lie in a table of their own, so that a list reads none of it. */
  input_start: Uint8Array
  output_start: Uint8Array
  group_name: Generated<string>
  /** Millionths. */
  points: number | null
  /** JSON array of texts; null for those of the checker. */
  arguments: string | null
}

/** In the database, not in files: every server on it must reach them, and they go with their test case, whatever happens. */
export type TestDataTable = { test_case_id: number; input: Uint8Array; output: Uint8Array }

/** What the tests of an author's problems hold, those of unfinished uploads included, and their programs. */
export type TestUsageTable = { account_id: number; bytes: number }

export type TestUploadTable = { id: string; started_at: number }

/** A file that is kept with a problem; triggers count its bytes as its owner's, and note its blob when it goes. */
export type ProblemFileTable = {
  id: Generated<number>
  problem_id: number
  owner_id: number
  /** As in a package: `statement/figure.png`. */
  path: string
  bytes: number
  blob_hash: string
}

/** JSON of what a package says that a problem has no place for. */
export type ProblemPackageTable = { problem_id: number; content: string }

/** What a test is called in its package: `secret/group1/07`. */
export type TestNameTable = { test_case_id: number; name: string }

export type SubmissionTable = {
  id: Generated<number>
  problem_id: number
  author_id: number
  language: string
  /** 1 submitted, 2 executing, 3 finished. */
  status: number
  result: number
  created_at: number
  finished_at: number | null
  /** It was finished once, and is to be judged again. */
  is_rejudged: Generated<number>
  /** The author of its problem, where it is judged again; 0 else, or where an older server has put it there. */
  rejudged_for: Generated<number>
  /** Its place among those that wait, in the fair order: lower turns first. */
  turn: Generated<number>
  /** Lost leases and failures of executors so far. */
  losses: number
  claimed_by: number | null
  lease: string | null
  lease_expires_at: number | null
  finished_tests: number
  total_tests: number
  /** The most that any test took. */
  cpu_ms: number | null
  memory_bytes: number | null
  /** As its problem's: a copy, so that the queue finds what an executor can judge. A claim looks at the problem's own. */
  needs: Generated<number>
  /** Millionths; null where nothing was scored. */
  score: number | null
  maximum_score: number | null
  /** The contest that it was handed in to. */
  contest_id: number | null
}

export type SubmissionSourceTable = { submission_id: number; content: Uint8Array }

export type SubmissionReportTable = { submission_id: number; report: string }

/** How many submissions of a list lie in a block of ids. 0 for an author or a problem means any. */
export type SubmissionCountTable = {
  author_id: number
  problem_id: number
  /** A block holds two to the power of this ids. */
  level: number
  block: number
  count: number
}

/** One row: ids up to this one are in the counts. */
export type SubmissionCountedTable = { id: number; up_to: number }

/** The last turn that an author was given; of author 0, the last one that was served. */
export type JudgingTurnTable = { author_id: number; is_rejudged: number; turn: number }

export type ExecutorTable = {
  account_id: number
  /** With the instance behind it, where it has one. */
  name: string
  /** What people read; empty where it is the name. */
  given_name: Generated<string>
  /** JSON array of {value, name}. */
  languages: string
  parallel_runs: number
  first_seen_at: number
  seen_at: number
  features: Generated<number>
}

/** A program that is run without a submission, for as long as somebody waits for what comes of it. */
export type TrialTable = {
  id: Generated<number>
  account_id: number
  problem_id: number
  language: string
  content: Uint8Array
  /** Null: it is run on the examples. */
  input: Uint8Array | null
  /** 1 waiting, 2 running, 3 done. */
  status: number
  created_at: number
  /** Since when it has waited for an executor. */
  waits_since: number
  claimed_by: number | null
  lease: string | null
  lease_expires_at: number | null
  /** Lost leases and failures of executors so far. */
  losses: number
  /** JSON of what came of it; null where no executor could run it. */
  report: string | null
}

/** When any executor offered it last. */
export type RecentLanguageTable = { value: string; offered_at: number }

export type ProblemTagTable = { problem_id: number; tag: string }

export type JudgeSchema = {
  problem_tag: ProblemTagTable
  problem: ProblemTable
  problem_judging: ProblemJudgingTable
  test_case: TestCaseTable
  test_data: TestDataTable
  test_usage: TestUsageTable
  test_upload: TestUploadTable
  test_name: TestNameTable
  problem_file: ProblemFileTable
  problem_package: ProblemPackageTable
  submission: SubmissionTable
  submission_source: SubmissionSourceTable
  submission_report: SubmissionReportTable
  submission_count: SubmissionCountTable
  submission_counted: SubmissionCountedTable
  judging_turn: JudgingTurnTable
  executor: ExecutorTable
  recent_language: RecentLanguageTable
  trial: TrialTable
}
