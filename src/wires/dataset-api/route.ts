/** What a route of this wire is, and what its handlers are made with. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import type { RateBudgets } from '../../accounts/rates/rate-budgets.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Datasets } from '../../datasets/datasets.ts'
import type { ByteBudget, Hold } from '../byte-budget.ts'
import type { Identify } from '../identify.ts'
import type { ParseJson } from '../json-parsing.ts'

export type DatasetApi = {
  readonly datasets: Datasets
  readonly accounts: Accounts
  readonly rates: RateBudgets
  readonly clock: Clock
  readonly log: Log
  readonly identify: Identify
  readonly baseUrl: string | undefined
  readonly limits: 'on' | 'off'
  readonly budget: ByteBudget
  readonly parseJson: ParseJson
}

export type Call = {
  readonly actor: Actor
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** What its body or its answer takes is paid for until it is answered. */
  hold(): Hold
  /** Once a body is there: whoever sent it may have lost their rights while they held its end back. */
  identifyAgain(): Awaitable<Actor>
}
export type Handler = (call: Call) => Promise<unknown>
/** What each method of an address does. */
export type Routes = { readonly [path: string]: { readonly [method: string]: Handler } }
