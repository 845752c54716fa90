/** The room of apps: its parts, made once and tied. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Tokens } from '../../accounts/tokens.ts'
import type { Clock } from '../../base/clock.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { People } from '../people/people.ts'
import { makeAppCredentials } from './app-credentials.ts'
import { makeAppHook } from './app-hook.ts'
import { makeAppKeys } from './app-keys.ts'
import { makeAppApprovals } from './approvals.ts'
import { makeInstallationLookup } from './installation-lookup.ts'
import { makeInstallationTokens } from './installation-tokens.ts'
import { makeInstallations } from './installations.ts'
import { makeManifests } from './manifests.ts'
import { makeAppRegistration } from './registration.ts'
import { makeWorkflowRuns } from './workflow-runs.ts'

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  accounts: Accounts
  tokens: Tokens
  people: People
  activity: ActivityRecord
}

export function makeAppRoom({ store, clock, jobs, accounts, tokens, people, activity }: Needs) {
  const registration = makeAppRegistration({ store, clock, accounts, activity })
  const lookup = makeInstallationLookup({ store, people, registration })
  const installations = makeInstallations({ store, clock, people, registration, lookup, activity })
  const installationTokens = makeInstallationTokens({ store, clock, accounts, tokens, installations })
  return {
    apps: registration,
    appHook: makeAppHook({ store, clock, activity }),
    appKeys: makeAppKeys({ store, clock }),
    appCredentials: makeAppCredentials({ store, clock }),
    appApprovals: makeAppApprovals({ store, clock, registration }),
    appManifests: makeManifests({ store, clock, people, registration }),
    installations,
    installationTokens,
    workflowRuns: makeWorkflowRuns({ store, clock, jobs, accounts, tokens }),
  }
}
