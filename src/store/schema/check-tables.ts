/** The tables of checks: what apps say of commits. */
import type { Generated } from 'kysely'

export type CheckStatus = 'queued' | 'in_progress' | 'completed' | 'waiting' | 'requested' | 'pending'
export type CheckConclusion =
  | 'action_required'
  | 'cancelled'
  | 'failure'
  | 'neutral'
  | 'success'
  | 'skipped'
  | 'stale'
  | 'timed_out'

/** All that one app says of one commit. */
export type CheckSuiteTable = {
  id: Generated<number>
  repository_id: number
  sha: string
  /** Null once the app is gone. */
  app_id: number | null
  head_branch: string | null
  status: CheckStatus
  conclusion: CheckConclusion | null
  /** Of each name the newest. */
  latest_count: number
  created_at: number
  updated_at: number
}

export type CheckRunTable = {
  id: Generated<number>
  suite_id: number
  repository_id: number
  sha: string
  app_id: number | null
  name: string
  external_id: string | null
  details_url: string | null
  status: CheckStatus
  conclusion: CheckConclusion | null
  started_at: number | null
  completed_at: number | null
  /** JSON: title, summary, text; null where nothing was said. */
  body: string | null
  annotation_count: number
  created_at: number
}

export type CheckAnnotationTable = {
  id: Generated<number>
  run_id: number
  path: string
  start_line: number
  end_line: number
  start_column: number | null
  end_column: number | null
  level: string
  /** JSON: title, message, raw_details. */
  body: string
}

export type ChecksSchema = {
  check_suite: CheckSuiteTable
  check_run: CheckRunTable
  check_annotation: CheckAnnotationTable
}
