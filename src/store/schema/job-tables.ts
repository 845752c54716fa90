/** The table of the jobs room. */
import type { Generated } from 'kysely'

export type JobState = 'queued' | 'running' | 'done' | 'dead'

export type JobTable = {
  id: Generated<number>
  kind: string
  /** Of one kind and key at most one job waits and at most one runs. */
  key: string | null
  /** A recurring job is one row for ever, queued again when it has run; null for one that ends. */
  every_ms: number | null
  /** JSON. */
  payload: string
  state: JobState
  run_at: number
  tries: number
  max_tries: number
  /** How many tries in a row had no end: the process ended, or stood still. */
  deaths: Generated<number>
  /** Drawn at each claim: who holds it may renew, finish and give back; null unless running. */
  lease: string | null
  lease_until: number | null
  progress_done: number | null
  progress_total: number | null
  /** What the last try that failed said. */
  error: string | null
  created_at: number
  /** When it became done or dead. */
  finished_at: number | null
}

export type JobsSchema = { job: JobTable }
