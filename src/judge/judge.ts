/** The judge: makes each of its services once and connects them. */
import type { Accounts } from '../accounts/accounts.ts'
import type { Switches } from '../accounts/switches.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/store.ts'
import { makePasswordRights } from './account-access/created-accounts.ts'
import { makeClassServices } from './classes/class-services.ts'
import { makeContestAccess } from './contest-access/contest-access.ts'
import { makeLiveAudience } from './contest-access/live-audience.ts'
import { makeShownSubmissions } from './contest-access/shown-submissions.ts'
import { makeContestServices } from './contests/contest-services.ts'
import { readJudgingBacklog } from './judging/backlog.ts'
import { makeChangedVerdicts } from './judging/changed-verdicts.ts'
import { makeExecutors } from './judging/executors.ts'
import { makeLongPolls } from './judging/long-polls.ts'
import { makeOversight } from './judging/oversight.ts'
import { makeQueue } from './judging/queue.ts'
import { makeQueueHeads } from './judging/queue-heads.ts'
import { makeRejudging } from './judging/rejudging.ts'
import { makeReports } from './judging/reports.ts'
import { makeStrandedSubmissions } from './judging/stranded-submissions.ts'
import type { Limits } from './limits.ts'
import { makePackageExport } from './packages/export/export.ts'
import { makePackageImport } from './packages/package-import.ts'
import type { FileStore } from './problem-files/file-store.ts'
import { makeProblemFiles } from './problem-files/problem-files.ts'
import { makeProblemJudgings } from './problem-judging/problem-judgings.ts'
import { makeTestJudgings } from './problem-judging/test-judgings.ts'
import type { CodeHost } from './problem-links/code-host.ts'
import { makeProblemLinks } from './problem-links/problem-links.ts'
import { makePushedFiles } from './problem-links/pushed-files.ts'
import { makeProblemSearch } from './problems/problem-search.ts'
import { makeProblems } from './problems/problems.ts'
import { makeGradeSheets, type StoreSheet } from './results/grade-sheet.ts'
import { makeSheetAccess } from './sheet-access/sheet-access.ts'
import { demandOffSheets } from './sheets/problem-sheets.ts'
import type { RenderTable } from './sheets/results.ts'
import { makeSheetServices } from './sheets/sheet-services.ts'
import { makeSimilarity } from './similarity/similarity.ts'
import { makeStatements } from './statements/statements.ts'
import { makeFeatureAlignment } from './submissions/feature-alignment.ts'
import { makeFinishedSubmissions } from './submissions/finished-submissions.ts'
import { makeProblemDeletion } from './submissions/problem-deletion.ts'
import { makeSubmissionCounts } from './submissions/submission-counts.ts'
import { makeSubmissionEvents } from './submissions/submission-events.ts'
import { makeSubmissionLists } from './submissions/submission-lists.ts'
import { makeSubmissionSearch } from './submissions/submission-search.ts'
import { makeSubmissions } from './submissions/submissions.ts'
import { makeDeletionAudience, makeSubmissionVisibility } from './submissions/visibility.ts'
import { makeTestCases } from './test-cases/test-cases.ts'
import { makeTestUploads } from './test-cases/test-uploads.ts'
import { makeTrialEvents } from './trials/trial-events.ts'
import { makeTrialQueue } from './trials/trial-queue.ts'
import { makeTrials } from './trials/trials.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  switches: Switches
  limits: Limits
  accounts: Pick<
    Accounts,
    'demandKnown' | 'demandOwnPassword' | 'findByName' | 'findById' | 'prepareMany' | 'deleteUnused'
  >
  storeSheet: StoreSheet
  renderTable: RenderTable
  files: FileStore
  host: CodeHost
}

export type Judge = ReturnType<typeof makeJudge>

export function makeJudge(needs: Needs) {
  const { store, clock, log, jobs, switches, limits, accounts, storeSheet, renderTable, files, host } = needs
  const demandKnownAccount = accounts.demandKnown
  const sheetAccess = makeSheetAccess({ store, clock })
  const contestAccess = makeContestAccess({ store, clock })
  const shownSubmissions = makeShownSubmissions({ store, clock, contestAccess, sheetAccess })
  const events = makeSubmissionEvents({ store, log })
  const counts = makeSubmissionCounts({ store })
  const executors = makeExecutors({ store, clock })
  const finishedSubmissions = makeFinishedSubmissions()
  const queue = makeQueue({ store, clock, log, events, limits, finishedSubmissions, executors })
  const stranded = makeStrandedSubmissions({ store, log, executors })
  const { returnExpired } = queue
  const problems = makeProblems({ store, clock, switches, demandKnownAccount, sheetAccess, contestAccess })
  const statements = makeStatements({ problems, log })
  const uploads = makeTestUploads({ store, clock, limits })
  const testCases = makeTestCases({
    store,
    switches,
    problems,
    uploads,
    limits,
    sheetAccess,
    contestAccess,
    addGroups: (trx, problem, names) => judgings.addGroups(trx, problem, names),
  })
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
    sheetAccess,
    contestAccess,
    shownSubmissions,
    finishedSubmissions,
  })
  const submissionSearch = makeSubmissionSearch({
    store,
    clock,
    problems,
    demandKnownAccount,
    returnExpired,
    sheetAccess,
    shownSubmissions,
    findContest: (actor, id) => contests.findFor(actor, id),
  })
  const problemDeletion = makeProblemDeletion({
    ...{ store, problems, counts, events, demandOffSheets },
    withdrawFromContests: (trx, actor, id) => contestServices.contestParts.withdrawProblem(trx, actor, id),
  })
  const changedVerdicts = makeChangedVerdicts({ store, clock, finishedSubmissions })
  const rejudging = makeRejudging({ store, clock, jobs, events, problems, submissions, changedVerdicts })
  const reports = makeReports({ store, submissions, shownSubmissions, sheetAccess, changedVerdicts })
  const oversight = makeOversight({ store, clock, executors, stranded })
  const gradeSheets = makeGradeSheets({ store, problems, sheetAccess, storeSheet })
  const problemFiles = makeProblemFiles({ store, switches, problems, files, limits })
  const packages = {
    ...makePackageImport({ store, switches, problems, uploads, judgings, problemFiles, files, limits }),
    ...makePackageExport({ store, problems, judgings, problemFiles, limits }),
  }
  const passwordRights = makePasswordRights(store)
  const classes = makeClassServices({ store, clock, limits, accounts, passwordRights })
  const problemLinks = makeProblemLinks({ store, clock, problems, sheetAccess, contestAccess, host, limits })
  const findAccount = accounts.findById
  const pushedFiles = makePushedFiles({ store, jobs, submissions, finishedSubmissions, host, findAccount, limits })
  const sheetServices = makeSheetServices({
    store,
    clock,
    limits,
    problems,
    submissions,
    storeSheet,
    renderTable,
    accounts,
    links: problemLinks,
    host,
    renderText: statements.renderText,
  })
  const similarity = makeSimilarity({
    store,
    sheets: sheetServices.sheets,
    results: sheetServices.sheetResults,
    copies: sheetServices.sheetCopies,
    links: problemLinks,
    host,
    limits,
  })
  const contestServices = makeContestServices({
    store,
    clock,
    jobs,
    limits,
    switches,
    accounts,
    events,
    problems,
    submissions,
    contestAccess,
    passwordRights,
    finishedSubmissions,
    storeSheet,
  })
  const { contests } = contestServices
  const longPolls = makeLongPolls({ queue, submissions, events, quota: limits.waitingCalls })

  const trialEvents = makeTrialEvents({ store, log })
  const heads = makeQueueHeads({ store, executors })
  const trialQueue = makeTrialQueue({ store, clock, log, limits, heads, events: trialEvents })
  const trials = makeTrials({
    ...{ store, clock, limits, submissions, executors, longPolls },
    ...{ queue: trialQueue, events: trialEvents },
  })

  return {
    limits,
    passwordRights,
    trials,
    trialEvents,
    problems,
    problemSearch: makeProblemSearch({ store, switches, problems }),
    problemDeletion,
    statements,
    testCases,
    judgings,
    testJudgings,
    uploads,
    submissions,
    submissionSearch,
    findVisibility: makeSubmissionVisibility(store, sheetAccess, makeLiveAudience({ store, clock })),
    findDeletionAudience: makeDeletionAudience(sheetAccess),
    finishedSubmissions,
    counts,
    queue,
    stranded,
    rejudging,
    reports,
    executors,
    oversight,
    gradeSheets,
    ...classes,
    ...sheetServices,
    problemLinks,
    pushedFiles,
    similarity,
    ...contestServices,
    events,
    problemFiles,
    packages,
    longPolls,
    readBacklog: () => readJudgingBacklog(store),
    async close(): Promise<void> {
      await longPolls.close()
      await contestServices.scoreboards.close()
      await statements.close()
      await similarity.close()
      await packages.close()
      await counts.close()
      await events.close()
    },
  }
}
