/** The house: makes each service once and ties them. It is the only place where rooms meet. */
import { join } from 'node:path'
import { makeAccounts } from './accounts/accounts.ts'
import { makeLockout } from './accounts/lockout.ts'
import { makePasswords } from './accounts/passwords.ts'
import { makeSessions } from './accounts/sessions.ts'
import { makeSwitches } from './accounts/switches.ts'
import { makeTokens } from './accounts/tokens.ts'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import { builtInLanguages } from './judge/languages.ts'
import type { Settings } from './settings.ts'
import { makeBlobs } from './store/blobs.ts'
import type { Store } from './store/store.ts'

export type House = Awaited<ReturnType<typeof makeHouse>>

type Needs = { settings: Settings; store: Store; clock: Clock; log: Log }

const minuteMs = 60_000

export async function makeHouse({ settings, store, clock, log }: Needs) {
  const passwords = makePasswords()
  const switches = makeSwitches({ store })
  const tokens = makeTokens({ store, clock })
  const lockout = makeLockout({
    store,
    clock,
    rule: {
      name: 'password',
      tries: 10,
      withinMs: 15 * minuteMs,
      blockMs: 15 * minuteMs,
      message: 'Too many wrong passwords for this name: wait 15 minutes and try again.',
    },
  })
  const accounts = makeAccounts({ store, clock, passwords, switches, spendCreation: async () => {} })
  const sessions = makeSessions({ store, clock, passwords, lockout, switches })

  return {
    settings,
    store,
    log,
    clock,
    accounts,
    sessions,
    tokens,
    switches,
    blobs: makeBlobs(join(settings.dataFolder, 'blobs')),
    describeJudge: async () => ({ isDistributed: false, languages: builtInLanguages }),
    async readiness() {
      const database = await store.ping().then(
        () => 'ok',
        () => 'does not answer',
      )
      return { isReady: database === 'ok', database }
    },
  }
}
