/** How often this wire may be asked: by a user, and about one data set. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import type { RateBudgets } from '../../accounts/rate-budgets.ts'
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
import { parseAddress } from '../../datasets/access.ts'
import type { Datasets } from '../../datasets/datasets.ts'

export const requestsAMinute = 250_000
export const requestsASecond = 60
export const pushesASecond = 400

type Needs = { datasets: Datasets; rates: RateBudgets; clock: Clock; isOn: boolean }

export function makeLimits({ datasets, rates, clock, isOn }: Needs) {
  return async (actor: Actor, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isOn) return
    const who = actor.account ? `user:${actor.account.id}` : `address:${actor.address}`
    const budgets = [{ key: `datasets:${who}`, limit: requestsAMinute, windowMs: 60_000 }]
    const { datasetId } = (request.params ?? {}) as { datasetId?: string }
    if (datasetId !== undefined) {
      const isPush = request.method === 'POST'
      const limit = isPush ? pushesASecond : requestsASecond
      // One data set has one budget, by whichever of its addresses it is asked for.
      const address = parseAddress(datasetId)
      const id = (address && (await datasets.findId(actor, address))) ?? datasetId
      budgets.push({ key: `dataset:${isPush ? 'push' : 'use'}:${id}`, limit, windowMs: 1_000 })
    }
    const { allowed, refusedBy } = await rates.spend(budgets)
    reply.header('x-ratelimit-limit', String((refusedBy ?? budgets.at(-1)!).limit))
    if (allowed) return
    const retryAfterSeconds = Math.max(1, Math.ceil((refusedBy!.resetAt - clock.now()) / 1000))
    throw new Failure('limited', 'rate-limit-exceeded', 'Too many requests: wait a little and try again.', {
      retryAfterSeconds,
    })
  }
}
