/** The judge: makes each of its services once and connects them. */
import type { Switches } from '../accounts/switches.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Store } from '../store/store.ts'
import { readJudgingBacklog } from './judging/backlog.ts'
import { makeExecutors } from './judging/executors.ts'
import { makeLongPolls } from './judging/long-polls.ts'
import { makeOversight } from './judging/oversight.ts'
import { makeQueue } from './judging/queue.ts'
import { makeRejudging } from './judging/rejudging.ts'
import { makeReports } from './judging/reports.ts'
import { makeStrandedSubmissions } from './judging/stranded.ts'
import type { Limits } from './limits.ts'
import { makePackageExport } from './packages/export/export.ts'
import { makePackageImport } from './packages/import.ts'
import type { FileStore } from './problem-files/file-store.ts'
import { makeProblemFiles } from './problem-files/problem-files.ts'
import { makeProblemJudgings } from './problem-judging/problem-judgings.ts'
import { makeTestJudgings } from './problem-judging/test-judgings.ts'
import { makeProblems } from './problems/problems.ts'
import { makeGradeSheets, type StoreSheet } from './results/grade-sheet.ts'
import { makeStatements } from './statements/statements.ts'
import { makeFeatureAlignment } from './submissions/feature-alignment.ts'
import { makeFinishedSubmissions } from './submissions/finished-submissions.ts'
import { makeProblemDeletion } from './submissions/problem-deletion.ts'
import { makeSubmissionCounts } from './submissions/submission-counts.ts'
import { makeSubmissionEvents } from './submissions/submission-events.ts'
import { makeSubmissionLists } from './submissions/submission-lists.ts'
import { makeSubmissionSearch } from './submissions/submission-search.ts'
import { makeSubmissions } from './submissions/submissions.ts'
import { makeSubmissionVisibility } from './submissions/visibility.ts'
import { makeTestCases } from './test-cases/test-cases.ts'
import { makeTestUploads } from './test-cases/test-uploads.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  switches: Switches
  limits: Limits
  /** Refuses an id that is no account's. */
  demandKnownAccount(id: number): Promise<void>
  storeSheet: StoreSheet
  files: FileStore
}

export type Judge = ReturnType<typeof makeJudge>

export function makeJudge(needs: Needs) {
  const { store, clock, log, jobs, switches, limits, demandKnownAccount, storeSheet, files } = needs
  const events = makeSubmissionEvents({ store, log })
  const counts = makeSubmissionCounts({ store })
  const executors = makeExecutors({ store, clock })
  const finishedSubmissions = makeFinishedSubmissions()
  const queue = makeQueue({ store, clock, log, events, limits, finishedSubmissions, executors })
  const stranded = makeStrandedSubmissions({ store, log, executors })
  const { returnExpired } = queue
  const problems = makeProblems({ store, clock, switches, demandKnownAccount })
  const statements = makeStatements({ problems, log })
  const uploads = makeTestUploads({ store, clock, limits })
  const testCases = makeTestCases({ store, switches, problems, uploads, limits })
  const lists = makeSubmissionLists({ store, clock, counts, returnExpired })
  const alignment = makeFeatureAlignment({ store, clock, jobs, events })
  const judgings = makeProblemJudgings({ store, clock, switches, problems, alignment, limits })
  const testJudgings = makeTestJudgings({ store, problems, testCases })
  const submissions = makeSubmissions({
    store,
    clock,
    switches,
    problems,
    counts,
    lists,
    events,
    quota: limits.waitingSubmissions,
    demandKnownAccount,
    returnExpired,
  })
  const submissionSearch = makeSubmissionSearch({ store, clock, problems, demandKnownAccount, returnExpired })
  const problemDeletion = makeProblemDeletion({ store, problems, counts, events })
  const rejudging = makeRejudging({ store, clock, jobs, events, problems, submissions })
  const reports = makeReports({ store, submissions })
  const oversight = makeOversight({ store, clock, executors, stranded })
  const gradeSheets = makeGradeSheets({ store, problems, storeSheet })
  const problemFiles = makeProblemFiles({ store, switches, problems, files, limits })
  const packages = {
    ...makePackageImport({ store, switches, problems, uploads, judgings, problemFiles, files, limits }),
    ...makePackageExport({ store, problems, judgings, problemFiles, limits }),
  }
  const longPolls = makeLongPolls({ queue, submissions, events, quota: limits.waitingCalls })

  return {
    limits,
    problems,
    problemDeletion,
    statements,
    testCases,
    judgings,
    testJudgings,
    uploads,
    submissions,
    submissionSearch,
    findVisibility: makeSubmissionVisibility(store),
    finishedSubmissions,
    counts,
    queue,
    stranded,
    rejudging,
    reports,
    executors,
    oversight,
    gradeSheets,
    events,
    problemFiles,
    packages,
    longPolls,
    readBacklog: () => readJudgingBacklog(store),
    async close(): Promise<void> {
      await longPolls.close()
      await statements.close()
      await packages.close()
      await counts.close()
      await events.close()
    },
  }
}
