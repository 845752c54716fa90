/** What the flows of a class share: the stage, its clock, and what the Monday made. */
import { finished } from '../../../src/judge/submissions/status.ts'
import type { makeManualClock } from '../../../src/lib/clock.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { password, type Stage, startExecutor } from '../stage.ts'

export type ClassWorld = {
  stage: Stage
  clock: ReturnType<typeof makeManualClock>
  /** Of the sheet that forty students handed in. */
  sheetId: number
  classId: string
  problems: readonly Json[]
}

export const signInSam = ({ stage }: ClassWorld) => stage.cast.anonymous.signIn('sam', password)

/** A real executor comes, runs all that waits, and leaves. */
export async function runAll({ stage }: ClassWorld): Promise<void> {
  const waiting = stage.services.store.db.selectFrom('submission').select('id').where('status', '!=', finished)
  const executor = await startExecutor(stage)
  try {
    await until(async () => (await waiting.execute()).length === 0)
  } finally {
    await executor.stop()
  }
}

/** Judges all that waits without running it; `resultOf` says from a program's text what comes of it. */
export async function judgeAll({ stage }: ClassWorld, resultOf: (content: string) => number = () => 1): Promise<void> {
  const { worker } = stage.cast
  for (;;) {
    const { result } = await worker.ask('get_and_update_first_submitted_submission_to_executing', {
      FeatureList: ['checker', 'interactive', 'score'],
    })
    if (!result) return
    const { ID, Content, Lease, Problem } = result.Submission
    const Result = resultOf(Content)
    const { TestCaseSnippetList } = await worker.call('get_problem_test_case_snippet_list', {
      ProblemUUID: Problem.UUID,
      Offset: 0,
      Limit: 100,
    })
    const TestList = TestCaseSnippetList.map(({ UUID }: Json) => ({ ...ranTest, TestCaseUUID: UUID, Result }))
    await worker.call('report_submission', { ID, Lease, Report: { Result, CompilerOutput: '', TestList } })
  }
}

const ranTest = {
  CPUTimeInMillisecond: 1,
  WallTimeInMillisecond: 1,
  PeakMemoryInByte: 1_000_000,
  ExitCode: 0,
  Signal: null,
  Message: '',
  Stderr: '',
}
