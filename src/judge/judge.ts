/** The judge as one: its services made once and tied to each other. */
import type { Switches } from '../accounts/switches.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Store } from '../store/store.ts'
import { makeExecutors } from './executors.ts'
import type { Limits } from './limits.ts'
import { makePackageImport } from './packages/import.ts'
import { makeProblems } from './problems.ts'
import { makeQueue } from './queue.ts'
import { makeRejudging } from './rejudging.ts'
import { makeReports } from './reports.ts'
import { makeSubmissionCounts } from './submission-counts.ts'
import { makeSubmissionLists } from './submission-lists.ts'
import { makeSubmissions } from './submissions.ts'
import { makeTestCases } from './test-cases.ts'
import { makeTestUploads } from './test-uploads.ts'
import { makeTidings } from './tidings.ts'
import { makeWaits } from './waits.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  switches: Switches
  limits: Limits
  /** Refuses an id that is no account's. */
  demandKnownAccount(id: number): Promise<void>
}

export type Judge = ReturnType<typeof makeJudge>

export function makeJudge({ store, clock, log, jobs, switches, limits, demandKnownAccount }: Needs) {
  const tidings = makeTidings({ store, log })
  const counts = makeSubmissionCounts({ store })
  const executors = makeExecutors({ store, clock })
  const queue = makeQueue({ store, clock, log, tidings, limits, offeredLanguages: executors.offeredLanguages })
  const { returnExpired } = queue
  const problems = makeProblems({ store, clock, switches, counts, demandKnownAccount })
  const uploads = makeTestUploads({ store, clock })
  const testCases = makeTestCases({ store, switches, problems, uploads, limits })
  const lists = makeSubmissionLists({ store, clock, counts, returnExpired })
  const submissions = makeSubmissions({
    store,
    clock,
    switches,
    problems,
    counts,
    lists,
    tidings,
    quota: limits.waitingSubmissions,
    demandKnownAccount,
    returnExpired,
  })
  const rejudging = makeRejudging({ store, clock, jobs, tidings, problems, submissions })
  const reports = makeReports({ store, submissions })
  const packages = makePackageImport({ store, problems, uploads, limits })
  const waits = makeWaits({ queue, submissions, tidings })

  return {
    limits,
    problems,
    testCases,
    uploads,
    submissions,
    counts,
    queue,
    rejudging,
    reports,
    executors,
    packages,
    waits,
    async close(): Promise<void> {
      await waits.close()
      await counts.close()
      await tidings.close()
    },
  }
}
