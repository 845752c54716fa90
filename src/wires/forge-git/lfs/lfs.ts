/** Git LFS at `/{owner}/{repo}.git/info/lfs`: batches, the basic transfer and locks, by the published protocol. */
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../../base/clock.ts'
import { demand } from '../../../base/failure.ts'
import type { Log } from '../../../base/log.ts'
import type { Forge } from '../../../forge/forge.ts'
import type { Figures } from '../../../forge/limits/figures.ts'
import type { Limits } from '../../../forge/limits/limits.ts'
import type { Budgets } from '../../../http/byte-budget.ts'
import { takeBodiesAsStreams } from '../../../http/streamed-bodies.ts'
import type { Identify } from '../../identify.ts'
import type { ParseJson } from '../../json-parsing.ts'
import { makeGitAccess } from '../git-access.ts'
import { makeBatch } from './batch.ts'
import { type LfsAddress, type LfsAnswer, type LfsCall, type LfsRequest, makeLfsRoute } from './lfs-route.ts'
import { makeLockRoutes } from './lock-routes.ts'
import { makeTransfers } from './transfers.ts'

export type LfsHttp = {
  readonly forge: Forge
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

export async function lfsHttp(server: FastifyInstance, needed: LfsHttp): Promise<void> {
  const { forge, identify } = needed
  takeBodiesAsStreams(server)
  const access = makeGitAccess({ forge, identify })
  const handled = makeLfsRoute(needed)
  const inJson = (act: (call: LfsCall) => Promise<LfsAnswer>) =>
    handled(async (call) => {
      demandAcceptable(call.request)
      return act(call)
    })
  const batch = makeBatch({ forge, access })
  const transfers = makeTransfers({ forge, access })
  const locks = makeLockRoutes({ forge, access })

  const at = (route: string) => `/:owner/:repo/info/lfs${route}`
  const named = (route: string) => ({ config: { name: `/:owner/:repo.git/info/lfs${route}` } })
  server.post<LfsAddress>(at('/objects/batch'), named('/objects/batch'), inJson(batch))
  server.put<LfsAddress>(at('/objects/:oid/:size'), named('/objects/:oid'), handled(transfers.upload))
  // HEAD is told the length of what it is not sent.
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

/** Who names what they take must take LFS's JSON, or any. */
function demandAcceptable({ headers: { accept } }: LfsRequest): void {
  const isTaken = accept === undefined || /\*\/\*|application\/(?:\*|json|vnd\.git-lfs(?:\+json)?)/i.test(accept)
  demand(isTaken, 'invalid', 'not-acceptable', 'Answers are application/vnd.git-lfs+json here.')
}
