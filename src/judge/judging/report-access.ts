/** Reading back what the executor found out: for the author, who keeps the problem, admins and executors. */
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import { demand } from '../../base/failure.ts'
import type { Store } from '../../store/store.ts'
import type { Submissions } from '../submissions/submissions.ts'
import { maySeeContent } from '../submissions/submissions.ts'
import { maySeeHidden } from '../test-cases/test-cases.ts'
import type { Progress } from './queue.ts'
import type { Report } from './report.ts'

export type SubmissionReport = { readonly report: Report | undefined; readonly progress: Progress }

export type ReportAccess = ReturnType<typeof makeReportAccess>

export function makeReportAccess({ store, submissions }: { store: Store; submissions: Submissions }) {
  /** Of these tests, the ones whose data everybody may see. One that is deleted stays hidden. */
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
    /** Of a hidden test, those who may not see its data see the verdict and the figures, not what the program said. */
    async get(actor: Actor, id: number): Promise<SubmissionReport> {
      requireSignIn(actor)
      const submission = await submissions.get(actor, id)
      const maySee = maySeeContent(actor, submission)
      demand(maySee, 'forbidden', 'not-yours', 'Only the author and who keeps the problem may read the report.')
      const row = await read(id)
      demand(row, 'not-found', 'submission-unknown', `There is no submission ${id}.`)
      const progress = { finishedTests: row.finished_tests, totalTests: row.total_tests }
      if (row.report === null) return { report: undefined, progress }
      const report = JSON.parse(row.report) as Report
      if (maySeeHidden(actor, submission.problem)) return { report, progress }
      const shown = await shownTests(report.tests.map(({ testCaseUuid }) => testCaseUuid.toLowerCase()))
      const tests = report.tests.map((test) =>
        shown.has(test.testCaseUuid.toLowerCase()) ? test : { ...test, stderr: '' },
      )
      return { report: { ...report, tests }, progress }
    },
  }
}

/** Engines take so many values in one query. */
const portion = 500
