/** Reports as they are read back: what the executor found out about a submission, without what the reader may not see. */
import type { Actor } from '../../accounts/actor.ts'
import { demand } from '../../base/failure.ts'
import type { Store } from '../../store/store.ts'
import { demandContent, maySeeHiddenTests, requireReader } from '../access.ts'
import type { Submissions } from '../submissions/submissions.ts'
import type { Progress } from './queue.ts'
import { hideJudgeMessage, hideTest, type StoredReport } from './report.ts'

export type SubmissionReport = { readonly report: StoredReport | undefined; readonly progress: Progress }

export type Reports = ReturnType<typeof makeReports>

export function makeReports({ store, submissions }: { store: Store; submissions: Submissions }) {
  /** Answers which of these tests everybody may see. A deleted test stays hidden. */
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
      .select(['finished_tests', 'total_tests', 'submission_report.report'])
      .where('id', '=', id)
      .executeTakeFirst()
  }

  return {
    /** Those who may not see a hidden test's data get its verdict, points and coarse figures, and nothing of how the program ended. */
    async get(actor: Actor, id: number): Promise<SubmissionReport> {
      requireReader(actor)
      const submission = await submissions.get(actor, id)
      demandContent(actor, submission)
      const row = await read(id)
      demand(row, 'not-found', 'submission-unknown', `There is no submission ${id}.`)
      const progress = { finishedTests: row.finished_tests, totalTests: row.total_tests }
      if (row.report === null) return { report: undefined, progress }
      const report = JSON.parse(row.report) as StoredReport
      if (maySeeHiddenTests(actor, submission.problem)) return { report, progress }
      const shown = await shownTests(report.tests.map(({ testCaseUuid }) => testCaseUuid.toLowerCase()))
      const tests = report.tests.map((test) =>
        shown.has(test.testCaseUuid.toLowerCase()) ? hideJudgeMessage(test) : hideTest(test),
      )
      return { report: { ...hideJudgeMessage(report), tests }, progress }
    },
  }
}

/** The databases limit the number of parameters in one query; 500 is far below either limit. */
const portion = 500
