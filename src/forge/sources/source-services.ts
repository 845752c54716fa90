/** The services of imports by address and of mirrors, made and connected. */
import type { BlockList } from 'node:net'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Store } from '../../store/store.ts'
import type { Access, Opening } from '../access/opening.ts'
import type { Git } from '../git/process/git.ts'
import type { Pushes } from '../git/push/pushes.ts'
import type { Serving } from '../git/serve/serving.ts'
import { makeDestinations, type Resolve } from '../outbound/destination.ts'
import { makeResolve } from '../outbound/name-resolution.ts'
import { makeFetching } from './fetching.ts'
import { defineSourceJob } from './source-job.ts'
import type { SourceLimits } from './source-limits.ts'
import { makeSourceRights } from './source-rights.ts'
import { makeSources } from './sources.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  accounts: Accounts
  opening: Opening
  git: Git
  serving: Pick<Serving, 'receive'>
  pushes: Pick<Pushes, 'settleArrived'>
  limits: SourceLimits
  /** Parts of the operator's network that may be imported from. */
  networks: BlockList
  origin: string | undefined
  resolve?: Resolve | undefined
  setDefaultBranch: (access: Access<'admin'>, branch: string) => Promise<unknown>
}

export function makeSourceServices(needs: Needs) {
  const { store, clock, jobs, opening, limits, networks, origin, accounts } = needs
  const destinations = makeDestinations({
    allowed: networks,
    resolve: needs.resolve ?? makeResolve(),
    ownHost: origin && new URL(origin).hostname,
  })
  const rights = makeSourceRights(needs)
  const fetching = makeFetching({ ...needs, destinations })
  const job = defineSourceJob({ store, clock, log: needs.log, jobs, limits, rights, fetching })
  return makeSources({ store, clock, opening, destinations, limits, job, accounts })
}
