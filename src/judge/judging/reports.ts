/** Reports for readers: the executor's results, without what the reader may not see. */
import type { Actor } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { Store } from '../../store/store.ts'
import { isWorker, maySeeHiddenTests, requireReader } from '../access.ts'
import type { ShownSubmissions } from '../contest-access/shown-submissions.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import { finished } from '../submissions/status.ts'
import type { Submissions } from '../submissions/submissions.ts'
import type { ChangedVerdict, ChangedVerdicts } from './changed-verdicts.ts'
import type { Progress } from './queue.ts'
import { hideJudgeMessage, hideTest, type StoredReport } from './report.ts'

export type SubmissionReport = {
  readonly report: StoredReport | undefined
  readonly progress: Progress
  /** The author's name in the reader's roster; only for the author's teachers. */
  readonly rosterName: string | undefined
  /** Whether the reader may delete the submission. */
  readonly mayDelete: boolean
  /** The verdict before the last rejudging that changed it. */
  readonly changed: ChangedVerdict | undefined
}

export type Reports = ReturnType<typeof makeReports>

type Needs = {
  store: Store
  submissions: Submissions
  shownSubmissions: Pick<ShownSubmissions, 'exposureOf'>
  sheetAccess: Pick<SheetAccess, 'findRosterName'>
  changedVerdicts: Pick<ChangedVerdicts, 'findLast'>
}

export function makeReports({ store, submissions, shownSubmissions, sheetAccess, changedVerdicts }: Needs) {
  /** Returns which of these tests everybody may see. A deleted test stays hidden. */
  async function shownTests(uuids: readonly string[]): Promise<ReadonlySet<string>> {
    const shown = new Set<string>()
    for (let at = 0; at < uuids.length; at += portion) {
      const rows = await store.db
        .selectFrom('test_case')
        .select('uuid')
        .where('uuid', 'in', uuids.slice(at, at + portion))
        .where('is_hidden', '=', 0)
        .execute()
      for (const { uuid } of rows) shown.add(uuid)
    }
    return shown
  }

  async function read(id: number) {
    return store.db
      .selectFrom('submission')
      .leftJoin('submission_report', 'submission_report.submission_id', 'submission.id')
      .leftJoin('present_result', 'present_result.submission_id', 'submission.id')
      .select(['submission.finished_tests', 'submission.total_tests', 'submission_report.report'])
      .select(['present_result.finished_tests as present_finished', 'present_result.total_tests as present_total'])
      .select('present_result.report as present_report')
      .where('submission.id', '=', id)
      .executeTakeFirst()
  }

  return {
    /**
     * Readers who may not see a hidden test's data get its verdict, points and coarse figures, but not how the program
     * ended.
     */
    async get(actor: Actor, id: number): Promise<SubmissionReport> {
      requireReader(actor)
      const submission = await submissions.get(actor, id)
      const message = 'Only the author, their teachers and the author of the problem may read the report.'
      demand(await submissions.maySeeWork(actor, submission), 'forbidden', 'not-yours', message)
      const row = await read(id)
      demand(row, 'not-found', 'submission-unknown', `There is no submission ${id}.`)
      // During a contest's rejudging the previous result still counts.
      const isRejudged = row.present_finished !== null
      const stored = isRejudged ? row.present_report : row.report
      const progress = {
        finishedTests: row.present_finished ?? row.finished_tests,
        totalTests: row.present_total ?? row.total_tests,
      }
      const rosterName = await sheetAccess.findRosterName(actor, submission)
      const mayDelete = await submissions.mayDelete(actor, submission)
      const common = { progress, rosterName, mayDelete, changed: await changedVerdicts.findLast(id) }
      // Teams of a contest are not told of judge failures.
      if (stored === null || submission.status !== finished) return { report: undefined, ...common }
      const report = JSON.parse(stored) as StoredReport
      const isJury = (await shownSubmissions.exposureOf(actor, submission)) === 'all'
      if (isJury || (submission.contestId === null && maySeeHiddenTests(actor, submission.problem)) || isWorker(actor))
        return { report, ...common }
      const shown = await shownTests(report.tests.map(({ testCaseUuid }) => testCaseUuid.toLowerCase()))
      const tests = report.tests.map((test) =>
        shown.has(test.testCaseUuid.toLowerCase()) ? hideJudgeMessage(test) : hideTest(test),
      )
      return { report: { ...hideJudgeMessage(report), tests }, ...common }
    },
  }
}

/** The databases limit the number of parameters in one query; 500 is far below either limit. */
const portion = 500
