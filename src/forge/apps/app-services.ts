/** The services of apps, made and connected. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Tokens } from '../../accounts/tokens.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import type { People } from '../people/people.ts'
import { makeAppCredentials } from './app-credentials.ts'
import { makeAppHook } from './app-hook.ts'
import { makeInstallationLookup } from './installations/installation-lookup.ts'
import { makeInstallationTokens } from './installations/installation-tokens.ts'
import { makeInstallations } from './installations/installations.ts'
import { makeAppKeys } from './registration/app-keys.ts'
import { makeAppRegistration } from './registration/app-registration.ts'
import { makeAppApprovals } from './registration/approvals.ts'
import { makeManifests } from './registration/manifests.ts'
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

export function makeAppServices({ store, clock, jobs, accounts, tokens, people, activity }: Needs) {
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
