/** The list of every method of the judge. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { OwnCredentials } from '../../accounts/own-credentials.ts'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Judge } from '../../judge/judge.ts'
import type { Method } from './method.ts'
import { accountMethods } from './methods/accounts.ts'
import { credentialMethods } from './methods/credentials.ts'
import { executorMethods } from './methods/executors.ts'
import { judgingMethods } from './methods/judging.ts'
import { oversightMethods } from './methods/oversight.ts'
import { packageMethods } from './methods/packages.ts'
import { problemMethods } from './methods/problems.ts'
import { resultMethods } from './methods/results.ts'
import { serverMethods } from './methods/server.ts'
import { sessionMethods } from './methods/sessions.ts'
import { submissionMethods } from './methods/submissions.ts'
import { testCaseMethods } from './methods/test-cases.ts'

export type MethodNeeds = {
  accounts: Accounts
  sessions: Sessions
  ownCredentials: OwnCredentials
  switches: Switches
  judge: Judge
}

export const makeMethods = ({ accounts, sessions, ownCredentials, switches, judge }: MethodNeeds): Method[] => [
  ...serverMethods({ switches, describe: judge.executors.describe }),
  ...accountMethods(accounts),
  ...sessionMethods(sessions),
  ...credentialMethods(ownCredentials),
  ...problemMethods(judge),
  ...packageMethods(judge),
  ...testCaseMethods(judge.testCases, judge.limits),
  ...judgingMethods(judge),
  ...submissionMethods(judge),
  ...executorMethods(judge),
  ...oversightMethods(judge.oversight),
  ...resultMethods(judge.gradeSheets),
]
