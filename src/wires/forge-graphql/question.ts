/** A question in GraphQL and what answering it needs. */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Forge } from '../../forge/forge.ts'
import type { RateCaller } from '../../forge/limits/callers.ts'
import type { Limits, RateStatus } from '../../forge/limits/limits.ts'

export type GraphqlNeeds = {
  readonly forge: Forge
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
}

export type Question = {
  readonly actor: SignedIn
  readonly caller: RateCaller
  readonly origin: string
  readonly body: unknown
  /** Nobody waits for the answer any more. */
  readonly hasLeft: () => boolean
}

/** What is left of the budget is told where something was charged, the processor's time where fields were executed. */
export type Answer = {
  readonly body: object
  readonly rateStatus: RateStatus | undefined
  readonly cpuMicros?: number
}
