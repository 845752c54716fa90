/** The rate limits of this API: per user, and per data set. */
import type { FastifyReply } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import type { Budget, RateBudgets } from '../../accounts/rates/rate-budgets.ts'
import type { Datasets } from '../../datasets/datasets.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { networkOf } from '../../lib/network.ts'
import { type DatasetRequest, readAddress, readQuery } from './request.ts'

export const requestsAMinute = 250_000
export const requestsASecond = 60
export const pushesASecond = 400

/** `isServed`: the address supports this method. */
type Asked = { readonly path: string; readonly isServed: boolean }

type Needs = { datasets: Datasets; rates: RateBudgets; clock: Clock; isOn: boolean }

export function makeLimits({ datasets, rates, clock, isOn }: Needs) {
  async function spend(budgets: readonly Budget[], reply: FastifyReply): Promise<void> {
    const { allowed, refusedBy } = await rates.spend(budgets)
    reply.header('x-ratelimit-limit', String((refusedBy ?? budgets.at(-1)!).limit))
    if (allowed) return
    const retryAfterSeconds = Math.max(1, Math.ceil((refusedBy!.resetAt - clock.now()) / 1000))
    throw new Failure('limited', 'rate-limit-exceeded', 'Too many requests: wait a little and try again.', {
      retryAfterSeconds,
    })
  }

  /**
   * A data set has the same budgets under each of its addresses, and only callers who may use it spend them. Writes
   * have a budget of their own: readers can't keep the owner from closing or deleting it.
   */
  async function budgetOf(actor: Actor, request: DatasetRequest, path: string): Promise<Budget> {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isItems = path.startsWith('/datasets/:datasetId/items')
    const right = isRead ? (isItems ? 'items' : 'read') : 'write'
    const signature = readQuery(request).get('signature') || null
    const id = await datasets.demandAccess(actor, readAddress(request), right, signature)
    const isPush = request.method === 'POST'
    const limit = isPush ? pushesASecond : requestsASecond
    const use = isRead ? 'read' : isPush ? 'push' : 'change'
    return { key: `dataset:${use}:${id}`, limit, windowMs: 1_000 }
  }

  return async (
    actor: Actor,
    request: DatasetRequest,
    reply: FastifyReply,
    { path, isServed }: Asked,
  ): Promise<void> => {
    if (!isOn) return
    const who = actor.account ? `user:${actor.account.id}` : `address:${networkOf(actor.address)}`
    const own = { key: `datasets:${who}`, limit: requestsAMinute, windowMs: 60_000 }
    if (!isServed || request.params.datasetId === undefined) return spend([own], reply)
    let ofDataset: Budget
    try {
      ofDataset = await budgetOf(actor, request, path)
    } catch (refusal) {
      await spend([own], reply)
      throw refusal
    }
    return spend([own, ofDataset], reply)
  }
}
