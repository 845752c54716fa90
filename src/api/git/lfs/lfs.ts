/** Git LFS at `/{owner}/{repo}.git/info/lfs`: batches, the basic transfer and locks, by the published protocol. */
import type { FastifyInstance } from 'fastify'
import type { Opening } from '../../../forge/access/opening.ts'
import type { FileLimits } from '../../../forge/files/file-limits.ts'
import type { LfsLocks } from '../../../forge/lfs/lfs-locks.ts'
import type { LfsObjects } from '../../../forge/lfs/lfs-objects.ts'
import type { Figures } from '../../../forge/limits/figures.ts'
import type { Limits } from '../../../forge/limits/limits.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import type { Budgets } from '../../../http/byte-budget.ts'
import { takeBodiesAsStreams } from '../../../http/streamed-bodies.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { Identify } from '../../identity/identify.ts'
import type { ParseJson } from '../../json/json-parsing.ts'
import { makeGitAccess } from '../git-access.ts'
import { makeBatch } from './batch.ts'
import { type LfsAddress, type LfsAnswer, type LfsCall, type LfsRequest, makeLfsRoute } from './lfs-route.ts'
import { makeLockRoutes } from './lock-routes.ts'
import { makeTransfers } from './transfers.ts'

export type LfsNeeds = {
  readonly opening: Opening
  readonly lfsObjects: LfsObjects
  readonly lfsLocks: LfsLocks
  readonly fileLimits: FileLimits
  readonly singleSignOn: SignOnServices
  readonly clock: Clock
  readonly limits: Limits
  readonly figures: Figures
  readonly identify: Identify
  readonly log: Log
  readonly baseUrl: string | undefined
  readonly gitIdleMs: number
  readonly budgets: Budgets
  readonly parseJson: ParseJson
}

export async function lfsHttp(server: FastifyInstance, needs: LfsNeeds): Promise<void> {
  const { opening, lfsObjects, lfsLocks, fileLimits, identify } = needs
  takeBodiesAsStreams(server)
  const access = makeGitAccess<LfsRequest>({ opening, identify, alsoTokens: ['lfs'] })
  const handled = makeLfsRoute(needs)
  const inJson = (act: (call: LfsCall) => Promise<LfsAnswer>) =>
    handled(async (call) => {
      demandAcceptable(call.request)
      return act(call)
    })
  const batch = makeBatch({ objects: lfsObjects, fileLimits, access })
  const transfers = makeTransfers({ objects: lfsObjects, access })
  const locks = makeLockRoutes({ locks: lfsLocks, access })

  const at = (route: string) => `/:owner/:repo/info/lfs${route}`
  const named = (route: string) => ({ config: { name: `/:owner/:repo.git/info/lfs${route}` } })
  server.post<LfsAddress>(at('/objects/batch'), named('/objects/batch'), inJson(batch))
  server.put<LfsAddress>(at('/objects/:oid/:size'), named('/objects/:oid'), handled(transfers.upload))
  // HEAD gets the length without the content.
  const download = handled(transfers.download)
  server.route<LfsAddress>({
    method: ['GET', 'HEAD'],
    url: at('/objects/:oid'),
    ...named('/objects/:oid'),
    handler: download,
  })
  server.post<LfsAddress>(at('/verify'), named('/verify'), inJson(transfers.verify))
  server.post<LfsAddress>(at('/locks'), named('/locks'), inJson(locks.create))
  server.get<LfsAddress>(at('/locks'), named('/locks'), inJson(locks.list))
  server.post<LfsAddress>(at('/locks/verify'), named('/locks/verify'), inJson(locks.verify))
  server.post<LfsAddress>(at('/locks/:id/unlock'), named('/locks/:id/unlock'), inJson(locks.unlock))
}

/** An Accept header must allow LFS's JSON. */
function demandAcceptable({ headers: { accept } }: LfsRequest): void {
  const isTaken = accept === undefined || /\*\/\*|application\/(?:\*|json|vnd\.git-lfs(?:\+json)?)/i.test(accept)
  demand(isTaken, 'invalid', 'not-acceptable', 'Answers are application/vnd.git-lfs+json here.')
}
