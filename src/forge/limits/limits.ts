/** Rate limits: how often who may ask for what. Primary by the hour, secondary by endpoint, content, processor time and at once. */
import type { Budget, BudgetState, RateBudgets } from '../../accounts/rate-budgets.ts'
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'
import type { TokenDesk } from '../people/token-desk.ts'
import { allowanceOf, type RateCaller, type Resource, resources } from './callers.ts'
import type { Figures } from './figures.ts'
import { makePenalties } from './penalties.ts'
import { makeProcessorTime } from './processor-time.ts'
import { makeWidths } from './widths.ts'

export type Standing = {
  readonly resource: Resource
  readonly limit: number
  readonly used: number
  readonly remaining: number
  readonly resetAt: number
}

export type Charge = {
  readonly resource: Resource
  /** Method and route. */
  readonly endpoint: string
  readonly points: number
  readonly createsContent: boolean
  /** `later`: the answer may turn out to cost nothing, else see `chargePrimary`. `free`: answered even with nothing left. */
  readonly primary: 'now' | 'later' | 'free'
}

export type Admission = {
  readonly standing: Standing
  /** Once, when the answer has gone. */
  leave(cpuMicros: number): void
}

type Needs = {
  store: Store
  rates: RateBudgets
  clock: Clock
  figures: Figures
  isOn: boolean
  tokenDesk: Pick<TokenDesk, 'ban'>
  log: Log
}

export type Limits = ReturnType<typeof makeLimits>

export function makeLimits({ store, rates, clock, figures, isOn, tokenDesk, log }: Needs) {
  const penalties = makePenalties({ clock, figures })
  const processor = makeProcessorTime({ rates, clock, figures })
  const budgets = new WeakMap<RateCaller, Map<Charge, readonly Budget[]>>()
  const hourMs = figures.hour * 1000
  const minuteMs = figures.minute * 1000

  function primaryOf(caller: RateCaller, resource: Resource, cost: number): Budget {
    const { limit, windowMs } = allowanceOf(caller, resource, figures)
    return { key: `${resource}:${caller.key}`, limit, windowMs, cost }
  }

  function secondaryOf(caller: RateCaller, { endpoint, points, createsContent, resource }: Charge): Budget[] {
    const most = resource === 'graphql' ? figures['graphql-points'] : figures.points
    const budgets = [{ key: `points:${endpoint}:${caller.key}`, limit: most, windowMs: minuteMs, cost: points }]
    if (!createsContent) return budgets
    return [
      ...budgets,
      { key: `content-minute:${caller.key}`, limit: figures['content-minute'], windowMs: minuteMs, cost: 1 },
      { key: `content-hour:${caller.key}`, limit: figures['content-hour'], windowMs: hourMs, cost: 1 },
    ]
  }

  /** Made once for each caller and charge: a request then builds no names of its own. */
  function budgetsOf(caller: RateCaller, charge: Charge): readonly Budget[] {
    const kept = budgets.get(caller) ?? new Map<Charge, readonly Budget[]>()
    budgets.set(caller, kept)
    const cost = charge.primary === 'now' ? 1 : 0
    const made = kept.get(charge) ?? [primaryOf(caller, charge.resource, cost), ...secondaryOf(caller, charge)]
    kept.set(charge, made)
    return made
  }

  const toStanding = (resource: Resource, { limit, used, remaining, resetAt }: BudgetState): Standing => ({
    resource,
    limit,
    used: Math.min(used, limit),
    remaining,
    resetAt,
  })

  async function peek(caller: RateCaller, resource: Resource): Promise<Standing> {
    const [state] = await rates.peek([primaryOf(caller, resource, 0)])
    return toStanding(resource, state!)
  }

  async function strikeToken({ tokenId }: RateCaller): Promise<void> {
    if (tokenId !== undefined && penalties.isBanDue(tokenId)) await tokenDesk.ban(tokenId)
  }

  async function refusePrimary(caller: RateCaller, standing: Standing): Promise<Failure> {
    await strikeToken(caller)
    const message = `API rate limit exceeded for ${caller.label}. Wait until x-ratelimit-reset.`
    return new Failure('limited', 'primary-limit', message, { standing })
  }

  async function refuseSecondary(
    caller: RateCaller,
    standing: Standing,
    key: string,
    resetAt: number,
  ): Promise<Failure> {
    await strikeToken(caller)
    const until = penalties.strike(key, resetAt)
    return new Failure('limited', 'secondary-limit', secondaryMessage, {
      standing,
      retryAfterSeconds: Math.max(1, Math.ceil((until - clock.now()) / 1000)),
    })
  }

  /** A budget that a penalty or the processor keeps closed; nothing is asked of the database for it. */
  function findClosed(caller: RateCaller, asked: readonly Budget[]): { key: string; until: number } | undefined {
    for (const { key } of asked) {
      const until = penalties.closedUntil(key)
      if (until) return { key, until }
    }
    const until = processor.closedUntil(caller.key)
    return until ? { key: `cpu:${caller.key}`, until } : undefined
  }

  async function spend(caller: RateCaller, charge: Charge): Promise<Standing> {
    const asked = budgetsOf(caller, charge)
    const closed = findClosed(caller, asked)
    if (closed) throw await refuseSecondary(caller, await peek(caller, charge.resource), closed.key, closed.until)
    const { allowed, states, refusedBy } = await rates.spend(asked)
    const standing = toStanding(charge.resource, states[0]!)
    const isPrimaryOver =
      charge.primary !== 'free' &&
      states[0]!.used + (allowed ? 1 - asked[0]!.cost! : asked[0]!.cost!) > states[0]!.limit
    if (isPrimaryOver) throw await refusePrimary(caller, standing)
    if (!allowed) throw await refuseSecondary(caller, standing, refusedBy!.key, refusedBy!.resetAt)
    return standing
  }

  return {
    peek,
    measure: makeWidths({ store, figures }).measure,

    /** Lets a request in and counts it, or refuses it and counts nothing. */
    async admit(caller: RateCaller, charge: Charge): Promise<Admission> {
      if (!isOn) {
        const primary = budgetsOf(caller, charge)[0]!
        const state = await rates.add(primary, primary.cost!)
        return { standing: toStanding(charge.resource, state), leave: () => {} }
      }
      const slot = `concurrent:${caller.key}`
      const leave = await rates.enter(slot, figures.concurrent)
      if (!leave) throw refuseConcurrent(await peek(caller, charge.resource), figures.minute)
      try {
        const standing = await spend(caller, charge)
        return {
          standing,
          leave(cpuMicros) {
            leave()
            processor
              .spend(caller.key, cpuMicros)
              .catch((error) => log.warn({ err: error }, 'CPU time was not counted'))
          },
        }
      } catch (error) {
        leave()
        throw error
      }
    },

    /** For what was let in at no cost and turned out to have one. */
    async chargePrimary(caller: RateCaller, resource: Resource): Promise<Standing> {
      const primary = primaryOf(caller, resource, 1)
      if (!isOn) return toStanding(resource, await rates.add(primary, 1))
      const { allowed, states } = await rates.spend([primary])
      const standing = toStanding(resource, states[0]!)
      if (!allowed) throw await refusePrimary(caller, standing)
      return standing
    },

    async overview(caller: RateCaller): Promise<Standing[]> {
      const states = await rates.peek(resources.map((resource) => primaryOf(caller, resource, 0)))
      return states.map((state, i) => toStanding(resources[i]!, state))
    },
  }
}

const secondaryMessage =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. Wait for retry-after seconds.'

/** What is over at once is over in a moment: no strike for it. */
const refuseConcurrent = (standing: Standing, minute: number): Failure =>
  new Failure('limited', 'secondary-limit', secondaryMessage, { standing, retryAfterSeconds: Math.max(1, minute) })
