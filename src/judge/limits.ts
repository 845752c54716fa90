/** The judge's limits. Each is a default that the operator may change by name. */
import { mebibyte } from '../base/bytes.ts'

export const defaultLimits = {
  sourceBytes: 64_000,
  languageLength: 32,
  testTextBytes: 16 * mebibyte,
  archiveBytes: 64 * mebibyte,
  archiveFiles: 10_000,
  unpackedBytes: 1024 * mebibyte,
  /** Up to this size an archive may be packed at any ratio. */
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
  /** Submissions of one author that are judged at the same time, by executors that claim in the fair order; 0: as many as all connected executors run at a time. */
  runningPerAuthor: 0,
  /** Test cases of a problem, and what all of them hold. */
  tests: 20_000,
  testDataBytes: 8 * 1024 * mebibyte,
  /** What the tests of all problems of one author hold, and those of everybody. */
  authorTestDataBytes: 16 * 1024 * mebibyte,
  allTestDataBytes: 256 * 1024 * mebibyte,
  /** Files that are kept with a problem, and what one of them holds; their bytes count as those of tests do. */
  problemFiles: 2_000,
  problemFileBytes: 64 * mebibyte,
  /** A checker or an interactor: its files, and what all of them hold. */
  programFiles: 100,
  programBytes: 4 * mebibyte,
  /** Groups of a problem. */
  groups: 100,
  /** Problems of one author that are held. */
  heldProblems: 1_000,
  /** Calls of an account that wait at the same time. */
  waitingCalls: 1_000,
  /** Calls of an account, or of an address without one. */
  callsPerMinute: 120_000,
  leaseMs: 60_000,
  /** After this many lost leases or failures of executors the result of a submission is judge failure. */
  losses: 3,
}

export type Limits = Readonly<typeof defaultLimits>
