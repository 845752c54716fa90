/** The tables of the judge. */
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
  /** A secret key: others see only a hash of the test list under this key. */
  hash_key: string
  /** SHA-256 of the test list. */
  test_hash: string
  test_count: number
  /** The position of the next test case; it never decreases, so that no position is reused. */
  next_position: number
  created_at: number
  updated_at: number
  /** 1 if only its author and admins see it. */
  is_held: Generated<number>
  /** The features that an executor needs to judge it: see judge/features.ts. */
  needs: Generated<number>
  /** A hash chained over every change of its judging settings; empty before the first. */
  judging_state: Generated<string>
  /** JSON array of {language, timeFactor}. */
  time_factors: Generated<string>
  /** How often its checker or interactor failed. */
  fault_count: Generated<number>
  /** JSON; null if its judging settings have changed since. */
  last_fault: string | null
}

/** How a problem is judged, if not by the defaults. */
export type ProblemJudgingTable = {
  problem_id: number
  /** The author of its problem, and the size of the programs: triggers sum them up in `test_usage`. */
  owner_id: number
  bytes: number
  /** JSON of everything except the programs. */
  settings: string
  /** JSON of {language, files}, in UTF-8. */
  checker: Uint8Array | null
  interactor: Uint8Array | null
}

export type TestCaseTable = {
  id: Generated<number>
  uuid: string
  /** Null until the upload that it belongs to is complete: nobody sees it before. */
  problem_id: number | null
  upload_id: string | null
  position: number
  is_hidden: number
  /** SHA-256 of its content. */
  digest: string
  /** The author of its problem, and the size of the two texts: triggers sum them up in `test_usage`. */
  owner_id: Generated<number>
  bytes: Generated<number>
  /** The starts of the two texts, for lists: the data is in a table of its own, so that a list does not read it. */
  input_start: Uint8Array
  output_start: Uint8Array
  group_name: Generated<string>
  /** In millionths. */
  points: number | null
  /** JSON array of texts; null for the checker's own. */
  arguments: string | null
}

/** In the database instead of files: every server must reach it, and it is deleted with its test case in any case. */
export type TestDataTable = { test_case_id: number; input: Uint8Array; output: Uint8Array }

/** The size of the tests of an author's problems, including unfinished uploads, and of their programs. */
export type TestUsageTable = { account_id: number; bytes: number }

export type TestUploadTable = { id: string; started_at: number }

/** A file of a problem; triggers add its size to its owner's, and record its blob when it is deleted. */
export type ProblemFileTable = {
  id: Generated<number>
  problem_id: number
  owner_id: number
  /** The path in a package: `statement/figure.png`. */
  path: string
  bytes: number
  blob_hash: string
}

/** JSON of package data without a place in a problem. */
export type ProblemPackageTable = { problem_id: number; content: string }

/** The name of a test in its package: `secret/group1/07`. */
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
  /** 1 if it was finished once, and is to be judged again. */
  is_rejudged: Generated<number>
  /** For a rejudging, the author of its problem; 0 otherwise, or if an older server has queued it. */
  rejudged_for: Generated<number>
  /** Its place among waiting submissions in the fair order: lower turns first. */
  turn: Generated<number>
  /** Lost leases and executor failures so far. */
  losses: number
  claimed_by: number | null
  lease: string | null
  lease_expires_at: number | null
  finished_tests: number
  total_tests: number
  /** The highest figures of any test. */
  cpu_ms: number | null
  memory_bytes: number | null
  /**
   * A copy of its problem's, so that the queue finds submissions that an executor can judge. A claim checks the
   * problem's own.
   */
  needs: Generated<number>
  /** In millionths; null if nothing was scored. */
  score: number | null
  maximum_score: number | null
  /** The contest that it was submitted to. */
  contest_id: number | null
}

export type SubmissionSourceTable = { submission_id: number; content: Uint8Array }

export type SubmissionReportTable = { submission_id: number; report: string }

/** A verdict that a rejudging changed, as it was before. */
export type ChangedVerdictTable = {
  id: Generated<number>
  submission_id: number
  result: number
  score: number | null
  maximum_score: number | null
  /** Null while the submission is judged again. */
  changed_at: number | null
}

/** How many submissions of a list are in a block of ids. 0 for an author or a problem means any. */
export type SubmissionCountTable = {
  author_id: number
  problem_id: number
  /** A block has two to the power of this ids. */
  level: number
  block: number
  count: number
}

/** Has only one row: ids up to this one are counted. */
export type SubmissionCountedTable = { id: number; up_to: number }

/** The last turn given to an author; for author 0, the last one served. */
export type JudgingTurnTable = { author_id: number; is_rejudged: number; turn: number }

export type ExecutorTable = {
  account_id: number
  /** Includes the instance, if there is one. */
  name: string
  /** The displayed name; empty if it equals `name`. */
  given_name: Generated<string>
  /** JSON array of {value, name}. */
  languages: string
  parallel_runs: number
  first_seen_at: number
  seen_at: number
  features: Generated<number>
}

/** A program run without a submission, stored as long as somebody waits for the result. */
export type TrialTable = {
  id: Generated<number>
  account_id: number
  problem_id: number
  language: string
  content: Uint8Array
  /** Null to use the examples. */
  input: Uint8Array | null
  /** 1 waiting, 2 running, 3 done. */
  status: number
  created_at: number
  /** Since when it has waited for an executor. */
  waits_since: number
  claimed_by: number | null
  lease: string | null
  lease_expires_at: number | null
  /** Lost leases and executor failures so far. */
  losses: number
  /** JSON of the result; null if no executor could run it. */
  report: string | null
}

/** When any executor last offered it. */
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
  changed_verdict: ChangedVerdictTable
  submission_count: SubmissionCountTable
  submission_counted: SubmissionCountedTable
  judging_turn: JudgingTurnTable
  executor: ExecutorTable
  recent_language: RecentLanguageTable
  trial: TrialTable
}
