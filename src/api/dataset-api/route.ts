/** The type of this API's routes, and the services that its handlers use. */
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
  /** How many requests of any API have begun so far. */
  readonly countRequests: () => number
}

export type DatasetCall = {
  readonly actor: Actor
  readonly request: DatasetRequest
  readonly reply: FastifyReply
  /** Charges the bytes of a body or response to the byte budget until the request is done. */
  hold(): Hold
  /** To be called once the body has arrived: the sender may have lost their rights while they withheld its end. */
  identifyAgain(): Promise<Actor>
}
/**
 * Returns what is to be sent as JSON, or undefined if it has sent the response itself. (A reply is thenable: returning
 * it would wait for the client.)
 */
export type Handler = (call: DatasetCall) => Promise<object | undefined>
/** The handlers of each address, by method. */
export type Routes = { readonly [path: string]: { readonly [method: string]: Handler } }
