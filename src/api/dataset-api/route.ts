/** The type of a route of this interface, and the services that its handlers use. */
import type { FastifyReply } from 'fastify'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import type { RateBudgets } from '../../accounts/rates/rate-budgets.ts'
import type { Datasets } from '../../datasets/datasets.ts'
import type { ByteBudget, Hold } from '../../http/byte-budget.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Identify } from '../identity/identify.ts'
import type { ParseJson } from '../json/json-parsing.ts'
import type { DatasetRequest } from './request.ts'

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
  /** How many requests were begun by now, of whatever interface. */
  readonly countRequests: () => number
}

export type Call = {
  readonly actor: Actor
  readonly request: DatasetRequest
  readonly reply: FastifyReply
  /** What its body or its answer takes is paid for until it is answered. */
  hold(): Hold
  /** Once a body is there: whoever sent it may have lost their rights while they held its end back. */
  identifyAgain(): Promise<Actor>
}
/** Answers what is to be sent as JSON; nothing where it has sent something itself. (A reply is thenable: to answer it would be to wait for the client.) */
export type Handler = (call: Call) => Promise<object | undefined>
/** What each method of an address does. */
export type Routes = { readonly [path: string]: { readonly [method: string]: Handler } }
