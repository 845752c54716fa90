/** A GraphQL request, and the services that are needed to answer it. */

import type { SignedIn } from '../../accounts/actor.ts'
import type { RateCaller } from '../../forge/limits/callers.ts'
import type { Limits, RateStatus } from '../../forge/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { MutationServices } from './mutations/mutation-services.ts'

export type GraphqlNeeds = {
  readonly services: MutationServices
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
}

export type GraphqlRequest = {
  readonly actor: SignedIn
  readonly caller: RateCaller
  readonly origin: string
  readonly body: unknown
  /** Whether the client has disconnected. */
  readonly hasLeft: () => boolean
}

/** `rateStatus` is set if something was charged, `cpuMicros` if fields were executed. */
export type GraphqlAnswer = {
  readonly body: object
  readonly rateStatus: RateStatus | undefined
  readonly cpuMicros?: number
}
