/** Every method of the judge, room by room. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Sessions } from '../../accounts/sessions.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Method } from './method.ts'
import { accountMethods } from './methods/accounts.ts'
import { serverMethods } from './methods/server.ts'
import { sessionMethods } from './methods/sessions.ts'

export type MethodNeeds = {
  accounts: Accounts
  sessions: Sessions
  switches: Switches
  describeJudge(): Promise<{ isDistributed: boolean; languages: readonly { value: string; name: string }[] }>
}

export const makeMethods = ({ accounts, sessions, switches, describeJudge }: MethodNeeds): Method[] => [
  ...serverMethods({ switches, describe: describeJudge }),
  ...accountMethods(accounts),
  ...sessionMethods(sessions),
]
