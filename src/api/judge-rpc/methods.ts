/** All methods of the judge. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { OwnCredentials } from '../../accounts/own-credentials.ts'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Judge } from '../../judge/judge.ts'
import type { Method } from './method.ts'
import { accountMethods } from './methods/account-methods.ts'
import { clarificationMethods } from './methods/clarification-methods.ts'
import { classMethods } from './methods/class-methods.ts'
import { contestMethods } from './methods/contest-methods.ts'
import { contestPartMethods } from './methods/contest-part-methods.ts'
import { contestSubmissionMethods } from './methods/contest-submission-methods.ts'
import { credentialMethods } from './methods/credential-methods.ts'
import { executorMethods } from './methods/executor-methods.ts'
import { judgingMethods } from './methods/judging-methods.ts'
import { oversightMethods } from './methods/oversight-methods.ts'
import { packageMethods } from './methods/package-methods.ts'
import { problemLinkMethods } from './methods/problem-link-methods.ts'
import { problemMethods } from './methods/problem-methods.ts'
import { problemSearchMethods } from './methods/problem-search-methods.ts'
import { resultMethods } from './methods/result-methods.ts'
import { seriesMethods } from './methods/series-methods.ts'
import { serverMethods } from './methods/server-methods.ts'
import { sessionMethods } from './methods/session-methods.ts'
import { sheetMethods } from './methods/sheet-methods.ts'
import { submissionMethods } from './methods/submission-methods.ts'
import { testCaseMethods } from './methods/test-case-methods.ts'
import { trialMethods } from './methods/trial-methods.ts'

export type MethodNeeds = {
  accounts: Accounts
  sessions: Sessions
  ownCredentials: OwnCredentials
  switches: Switches
  judge: Judge
  baseUrl: string | undefined
}

export const makeMethods = ({
  accounts,
  sessions,
  ownCredentials,
  switches,
  judge,
  baseUrl,
}: MethodNeeds): Method[] => [
  ...serverMethods({ switches, baseUrl, describe: judge.executors.describe }),
  ...accountMethods(accounts),
  ...sessionMethods(sessions),
  ...credentialMethods(ownCredentials),
  ...problemMethods(judge),
  ...problemSearchMethods(judge),
  ...packageMethods(judge),
  ...testCaseMethods(judge.testCases, judge.limits),
  ...judgingMethods(judge),
  ...submissionMethods(judge),
  ...executorMethods(judge),
  ...trialMethods(judge),
  ...oversightMethods(judge.oversight),
  ...resultMethods(judge.gradeSheets),
  ...classMethods(judge),
  ...sheetMethods(judge),
  ...problemLinkMethods(judge),
  ...contestMethods(judge),
  ...contestPartMethods(judge),
  ...contestSubmissionMethods(judge),
  ...clarificationMethods(judge),
  ...seriesMethods(judge),
]
