/** Rate limits: primary per hour; secondary by endpoint, created content, processor time and concurrency. */
import { anonymous } from '../../accounts/actor.ts'
import type { Budget, BudgetState, ConcurrencySlot, RateBudgets, Spending } from '../../accounts/rates/rate-budgets.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { networkOf } from '../../lib/network.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import type { Store } from '../../store/store.ts'
import type { TokenAdministration } from '../people/token-administration.ts'
import { allowanceOf, makeCallers, type RateCaller, type Resource, resources } from './callers.ts'
import type { Figures } from './figures.ts'
import { makePenalties } from './penalties.ts'
import { makePlanQuotas } from './plan-quotas.ts'
import { makeProcessorTime } from './processor-time.ts'
import { makeTokenRequests } from './token-requests.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The state of the caller's budget, for the answer's headers. */
    readonly rateStatus?: RateStatus
  }
}

export type RateStatus = {
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
  /** The number of things created; 1 by default. */
  readonly contents?: number
  /** `later`: `chargePrimary` charges it once its cost, perhaps none, is known. `free`: admitted even at the limit. */
  readonly primary: 'now' | 'later' | 'free'
}

export type Admission = {
  readonly rateStatus: RateStatus
  /** Called once, after the answer was sent. */
  leave(cpuMicros: number): void
}

/** A caller's budgets, built once and reused by each request. */
type CallerBudgets = {
  readonly place: ConcurrencySlot
  /** In the order of the resources. */
  readonly rateStatuses: readonly Budget[]
  readonly spendings: Map<Charge, readonly Budget[]>
  overview: readonly RateStatus[]
}

const wrongCredential: Charge = {
  resource: 'core',
  endpoint: 'a wrong credential',
  points: 1,
  createsContent: false,
  primary: 'now',
}

type Needs = {
  store: Store
  rates: RateBudgets
  clock: Clock
  figures: Figures
  isOn: boolean
  tokenAdministration: Pick<TokenAdministration, 'ban'>
  log: Log
}

export type Limits = ReturnType<typeof makeLimits>

export function makeLimits({ store, rates, clock, figures, isOn, tokenAdministration, log }: Needs) {
  const penalties = makePenalties({ clock, figures })
  const callerOf = makeCallers(figures)
  const budgetsByCaller = new WeakMap<RateCaller, CallerBudgets>()
  const hourMs = figures.hour * 1000
  const minuteMs = figures.minute * 1000
  const perMinute = { rates, clock, windowMs: minuteMs }
  const processor = makeProcessorTime({ ...perMinute, name: 'cpu', seconds: figures['cpu-seconds'] })
  const graphqlSeconds = figures['graphql-cpu-seconds']
  const graphqlProcessor = makeProcessorTime({ ...perMinute, name: 'cpu-graphql', seconds: graphqlSeconds })

  function primaryOf(caller: RateCaller, resource: Resource, cost: number): Budget {
    const { limit, windowMs } = allowanceOf(caller, resource, figures)
    const from = resource === 'audit_log' && caller.address ? ` ${networkOf(caller.address)}` : ''
    return { key: `${resource}:${caller.key}${from}`, limit, windowMs, cost }
  }

  function secondaryOf(caller: RateCaller, charge: Charge): Budget[] {
    const { endpoint, points, createsContent, contents = 1, resource } = charge
    const most = resource === 'graphql' ? figures['graphql-points'] : figures.points
    const budgets = [{ key: `points:${endpoint}:${caller.key}`, limit: most, windowMs: minuteMs, cost: points }]
    if (!createsContent) return budgets
    return [
      ...budgets,
      { key: `content-minute:${caller.key}`, limit: figures['content-minute'], windowMs: minuteMs, cost: contents },
      { key: `content-hour:${caller.key}`, limit: figures['content-hour'], windowMs: hourMs, cost: contents },
    ]
  }

  function findBudgets(caller: RateCaller): CallerBudgets {
    let budgets = budgetsByCaller.get(caller)
    if (!budgets) {
      const rateStatuses = resources.map((resource) => primaryOf(caller, resource, 0))
      const place = { key: `concurrent:${caller.key}`, limit: figures.concurrent }
      budgets = { place, rateStatuses, spendings: new Map(), overview: [] }
      budgetsByCaller.set(caller, budgets)
    }
    return budgets
  }

  function budgetsOf({ spendings }: CallerBudgets, caller: RateCaller, charge: Charge): readonly Budget[] {
    let made = spendings.get(charge)
    if (!made) {
      const cost = charge.primary === 'now' ? 1 : 0
      const primary = primaryOf(caller, charge.resource, cost)
      // A caller may exceed its own limit through an app with a higher one: free requests are still answered.
      const asked = charge.primary === 'free' ? { ...primary, limit: Number.POSITIVE_INFINITY } : primary
      made = [asked, ...secondaryOf(caller, charge)]
      spendings.set(charge, made)
    }
    return made
  }

  const toRateStatus = (resource: Resource, { limit, used, remaining, resetAt }: BudgetState): RateStatus => ({
    resource,
    limit,
    used: Math.min(used, limit),
    remaining,
    resetAt,
  })

  /** Also for charges that were not held against the limit. */
  function statusOf(caller: RateCaller, { resource, primary }: Charge, state: BudgetState): RateStatus {
    if (primary !== 'free') return toRateStatus(resource, state)
    const { limit } = allowanceOf(caller, resource, figures)
    return toRateStatus(resource, { ...state, limit, remaining: Math.max(0, limit - state.used) })
  }

  async function peek(caller: RateCaller, resource: Resource): Promise<RateStatus> {
    const [state] = await rates.peek([primaryOf(caller, resource, 0)])
    return toRateStatus(resource, state!)
  }

  async function strikeToken({ tokenId }: RateCaller): Promise<void> {
    if (tokenId !== undefined && penalties.isBanDue(tokenId)) await tokenAdministration.ban(tokenId)
  }

  async function refusePrimary(caller: RateCaller, rateStatus: RateStatus): Promise<Failure> {
    await strikeToken(caller)
    const message = `API rate limit exceeded for ${caller.label}. Wait until x-ratelimit-reset.`
    return new Failure('limited', 'primary-limit', message, { rateStatus })
  }

  async function refuseSecondary(
    caller: RateCaller,
    rateStatus: RateStatus,
    key: string,
    resetAt: number,
  ): Promise<Failure> {
    await strikeToken(caller)
    const until = penalties.strike(key, resetAt)
    return new Failure('limited', 'secondary-limit', secondaryMessage, {
      rateStatus,
      retryAfterSeconds: Math.max(1, Math.ceil((until - clock.now()) / 1000)),
    })
  }

  /** Finds a budget that a penalty or the processor time has closed, without asking the database. */
  function findClosed(
    caller: RateCaller,
    resource: Resource,
    asked: readonly Budget[],
  ): { key: string; until: number } | undefined {
    for (const { key } of asked) {
      const until = penalties.closedUntil(key)
      if (until) return { key, until }
    }
    const ofGraphql = resource === 'graphql' ? graphqlProcessor.closedUntil(caller.key) : 0
    const until = processor.closedUntil(caller.key) || ofGraphql
    return until ? { key: `cpu:${caller.key}`, until } : undefined
  }

  async function refuseClosed(caller: RateCaller, resource: Resource, key: string, until: number): Promise<never> {
    throw await refuseSecondary(caller, await peek(caller, resource), key, until)
  }

  async function refuse(caller: RateCaller, rateStatus: RateStatus, secondary?: BudgetState): Promise<never> {
    if (!secondary) throw await refusePrimary(caller, rateStatus)
    throw await refuseSecondary(caller, rateStatus, secondary.key, secondary.resetAt)
  }

  /** Concurrency clears by itself soon: no strike for it. */
  async function refuseConcurrent(caller: RateCaller, resource: Resource): Promise<never> {
    throw new Failure('limited', 'secondary-limit', secondaryMessage, {
      rateStatus: await peek(caller, resource),
      retryAfterSeconds: Math.max(1, figures.minute),
    })
  }

  function decide(caller: RateCaller, charge: Charge, spending: Spending): RateStatus | Promise<never> {
    const { allowed, states, refusedBy } = spending
    const rateStatus = statusOf(caller, charge, states[0]!)
    const cost = charge.primary === 'now' ? 1 : 0
    const isPrimaryOver = charge.primary !== 'free' && states[0]!.used + (allowed ? 1 - cost : cost) > states[0]!.limit
    if (isPrimaryOver) return refuse(caller, rateStatus)
    return allowed ? rateStatus : refuse(caller, rateStatus, refusedBy)
  }

  /** For an admitted request; `leave` frees its concurrency slot. */
  const admitted = (caller: RateCaller, resource: Resource, rateStatus: RateStatus, leave: () => void): Admission => ({
    rateStatus,
    leave(cpuMicros) {
      leave()
      bill(caller, cpuMicros, resource)
    },
  })

  /** Processor time is known only afterwards: overspending blocks the next requests. */
  function bill(caller: RateCaller, cpuMicros: number, resource: Resource = 'core'): void {
    if (!isOn || cpuMicros === 0) return
    const spent = [processor, ...(resource === 'graphql' ? [graphqlProcessor] : [])]
    Promise.all(spent.map((each) => each.spend(caller.key, cpuMicros))).catch((error) =>
      logOutage(log, 'warn', { err: error }, 'CPU time was not counted'),
    )
  }

  /** Admits a request and counts it, or refuses it and counts nothing. */
  async function admit(caller: RateCaller, charge: Charge): Promise<Admission> {
    const budgets = findBudgets(caller)
    const asked = budgetsOf(budgets, caller, charge)
    if (!isOn) {
      const primary = asked[0]!
      const state = await rates.add(primary, primary.cost!)
      return { rateStatus: statusOf(caller, charge, state), leave: () => {} }
    }
    const closed = findClosed(caller, charge.resource, asked)
    if (closed) return refuseClosed(caller, charge.resource, closed.key, closed.until)
    const spending = await rates.admit(budgets.place, asked)
    if (!spending) return refuseConcurrent(caller, charge.resource)
    const rateStatus = decide(caller, charge, spending)
    return rateStatus instanceof Promise
      ? rateStatus.finally(spending.leave)
      : admitted(caller, charge.resource, rateStatus, spending.leave)
  }

  return {
    peek,
    bill,
    tokenRequests: makeTokenRequests({ rates, clock, figures, isOn, message: secondaryMessage }),
    measure: makePlanQuotas({ store, figures }).measure,

    admit,

    /** For a request that was admitted free and turned out to have a cost. */
    async chargePrimary(caller: RateCaller, resource: Resource, cost = 1): Promise<RateStatus> {
      const primary = primaryOf(caller, resource, cost)
      if (!isOn) return toRateStatus(resource, await rates.add(primary, cost))
      const { allowed, states } = await rates.spend([primary])
      const rateStatus = toRateStatus(resource, states[0]!)
      if (!allowed) throw await refusePrimary(caller, rateStatus)
      return rateStatus
    },

    /** A request with a wrong credential reaches no route: it is charged to its address. */
    async chargeAddress(address: string): Promise<RateStatus> {
      const { rateStatus, leave } = await admit(callerOf(anonymous(address)), wrongCredential)
      leave(0)
      return rateStatus
    },

    /** Returns the same list object until a figure changes, so that callers can cache by it. */
    async overview(caller: RateCaller): Promise<readonly RateStatus[]> {
      const budgets = findBudgets(caller)
      const states = await rates.peek(budgets.rateStatuses)
      const fresh = states.map((state, i) => toRateStatus(resources[i]!, state))
      if (!fresh.every((rateStatus, i) => readsSame(rateStatus, budgets.overview[i]))) budgets.overview = fresh
      return budgets.overview
    },
  }
}

/** Times are shown in whole seconds. */
const readsSame = (a: RateStatus, b: RateStatus | undefined): boolean =>
  b !== undefined &&
  a.used === b.used &&
  a.limit === b.limit &&
  Math.ceil(a.resetAt / 1000) === Math.ceil(b.resetAt / 1000)

const secondaryMessage =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. Wait for retry-after seconds.'
