/** The judge's limits. Each is a default that the operator can change by name. */
import { mebibyte } from '../lib/text/bytes.ts'

export const defaultLimits = {
  sourceBytes: 64_000,
  languageLength: 32,
  testTextBytes: 16 * mebibyte,
  archiveBytes: 64 * mebibyte,
  archiveFiles: 10_000,
  unpackedBytes: 1024 * mebibyte,
  /** Up to this size an archive may have any compression ratio. */
  unpackedFreeBytes: 16 * mebibyte,
  unpackedRatio: 200,
  timeLimitMs: 60_000,
  leastMemoryLimitBytes: 4 * mebibyte,
  memoryLimitBytes: 8 * 1024 * mebibyte,
  problemNameLength: 256,
  descriptionLength: 100_000,
  examples: 20,
  exampleLength: 65_536,
  waitingSubmissions: 1_000,
  /**
   * Submissions of one author judged at the same time by executors that claim in fair order; 0 means as many as all
   * connected executors run at a time.
   */
  runningPerAuthor: 0,
  /** Test cases of a problem, and their total size. */
  tests: 20_000,
  testDataBytes: 8 * 1024 * mebibyte,
  /** Total size of the tests of all problems of one author, and of all authors. */
  authorTestDataBytes: 16 * 1024 * mebibyte,
  allTestDataBytes: 256 * 1024 * mebibyte,
  /** Files of a problem, and the size of one of them; they count towards the size of tests. */
  problemFiles: 2_000,
  problemFileBytes: 64 * mebibyte,
  /** A checker or an interactor: number of files, and their total size. */
  programFiles: 100,
  programBytes: 4 * mebibyte,
  /** Groups of a problem. */
  groups: 100,
  /** Held problems of one author. */
  heldProblems: 1_000,
  /** Classes that one account teaches, members of a class, and rows of one roster import. */
  classesTaught: 1_000,
  classMembers: 5_000,
  rosterRows: 500,
  /** Sheets of a class, problems of a sheet, and comments on a submission. */
  classSheets: 500,
  sheetProblems: 100,
  submissionComments: 1_000,
  /**
   * Trials, which run a program without a submission: per account, and in all that wait or run; the size of a custom
   * input; the longest time limit of a run; and the longest wait for an executor.
   */
  trialsPerAccount: 2,
  trials: 500,
  trialInputBytes: 262_144,
  trialTimeLimitMs: 10_000,
  trialWaitMs: 60_000,
  /** Problem links of a repository, and files submitted by one push. */
  repositoryLinks: 100,
  pushedFiles: 20,
  /** Programs compared for similarity at once, and their total size. */
  comparedPrograms: 1_000,
  comparedBytes: 4 * mebibyte,
  /** Contests of an owner; problems, teams, groups and organisations of a contest; accounts of a team; jury and staff. */
  contests: 1_000,
  contestProblems: 100,
  contestTeams: 10_000,
  contestGroups: 500,
  contestOrganisations: 5_000,
  teamAccounts: 20,
  contestPeople: 500,
  /** Waiting submissions of a team. */
  teamWaitingSubmissions: 20,
  /** Questions of a team, and clarifications of a contest. */
  teamQuestions: 200,
  contestClarifications: 20_000,
  /** Submissions of a rejudging, and rejudgings of a contest. */
  rejudgedSubmissions: 20_000,
  contestRejudgings: 1_000,
  /** Calls of an account waiting at the same time. */
  waitingCalls: 1_000,
  /** Calls of an account, or of an address without one. */
  callsPerMinute: 120_000,
  leaseMs: 60_000,
  /** After this many lost leases or executor failures, the result is a judge failure. */
  losses: 3,
}

export type Limits = Readonly<typeof defaultLimits>
