/** A submission that is read anew whenever the server says that it changed, until it is finished. */
import { useEffect } from 'preact/hooks'
import { watchSubmission } from '../api/live.ts'
import type { Submission, SubmissionReport } from '../api/operations.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { finished } from './results.ts'

export type Watched = {
  readonly submission: Submission
  /** Undefined for those who may not see it. */
  readonly report: SubmissionReport | undefined
}

export function useWatched(id: number): Loaded<Watched> {
  const loaded = useLoad(`submission ${id}`, () => readSubmission(id))
  const isOver = loaded.value?.submission.Status === finished
  useEffect(() => (isOver ? undefined : watchSubmission(id, loaded.reload)), [id, isOver, loaded.reload])
  return loaded
}

async function readSubmission(ID: number): Promise<Watched> {
  const [submission, report] = await callAll([
    ['get_submission', { ID }],
    ['get_submission_report', { ID }],
  ])
  return {
    submission: openAnswer<{ Submission: Submission }>(submission!).Submission,
    report: report!.error ? undefined : openAnswer<SubmissionReport>(report!),
  }
}
