/** The table of jobs. */
import type { Generated } from 'kysely'

export type JobState = 'queued' | 'running' | 'done' | 'dead'

export type JobTable = {
  id: Generated<number>
  kind: string
  /** For each kind and key at most one job waits and at most one runs. */
  key: string | null
  /** A recurring job is one permanent row, queued again after each run; null for a job that ends. */
  every_ms: number | null
  /** JSON. */
  payload: string
  state: JobState
  run_at: number
  tries: number
  max_tries: number
  /** How many consecutive tries never finished, because the process ended or hung. */
  deaths: Generated<number>
  /** Generated at each claim: its holder may renew, finish and give back; null unless running. */
  lease: string | null
  lease_until: number | null
  progress_done: number | null
  progress_total: number | null
  /** The error of the last failed try. */
  error: string | null
  created_at: number
  /** When it became done or dead. */
  finished_at: number | null
}

export type JobsSchema = { job: JobTable }
