/** The services of classes, made once and connected. */
import type { Accounts } from '../../accounts/accounts.ts'
import { makeLockout } from '../../accounts/sign-in/lockout.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { PasswordRights } from '../account-access/created-accounts.ts'
import type { Limits } from '../limits.ts'
import { makeClassAccess } from './class-access.ts'
import { makeClassMembers } from './class-members.ts'
import { makeClasses } from './classes.ts'
import { makeRecentImports } from './roster/recent-imports.ts'
import { makeRosterImport } from './roster/roster-import.ts'
import { makeRosterUndo } from './roster/roster-undo.ts'

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  accounts: Pick<Accounts, 'findByName' | 'prepareMany' | 'deleteUnused'>
  passwordRights: PasswordRights
}

export type ClassServices = ReturnType<typeof makeClassServices>

const minuteMs = 60_000

export function makeClassServices({ store, clock, limits, accounts, passwordRights }: Needs) {
  const access = makeClassAccess(store)
  const lockout = makeLockout({
    store,
    clock,
    rule: {
      name: 'join-code',
      tries: 10,
      withinMs: 15 * minuteMs,
      blockMs: 15 * minuteMs,
      message: 'Too many wrong codes: wait 15 minutes and try again.',
    },
  })
  const { demandSpace, ...classes } = makeClasses({ store, clock, access, limits, lockout })
  return {
    classes,
    members: makeClassMembers({ store, clock, access, accounts, demandSpace, passwordRights }),
    importRoster: makeRosterImport({ store, clock, access, accounts, limits, demandSpace }),
    listRecentImports: makeRecentImports({ store, clock, access }),
    undoRoster: makeRosterUndo({ store, clock, access, accounts }),
  }
}
