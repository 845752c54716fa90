/** Which tests are run, in which order, and which need not be: told test by test, also where several run at a time. */
import {
  groupTests,
  orderGroups,
  resolveRequired,
  type ScoredTest,
  type ScoringRules,
  sampleGroup,
  stopsAtZero,
} from './rules.ts'

/** `result`: 1 passed, 0 not run. `score`: what a checker gave, in millionths; absent, an accepted test gives its maximum. */
export type TestOutcome = { readonly result: number; readonly score?: number | undefined }

export type RunPlan = {
  /** Indexes of the tests in the order in which they are run. */
  readonly order: readonly number[]
  /** How a test ended. Those that run side by side may be recorded in any order. */
  record(index: number, outcome: TestOutcome): void
  /**
   * Whether what was recorded so far keeps this test from being run. Once every test before it in the order is recorded or
   * skipped, the answer is final; one that was run ahead and is then skipped counts as not run.
   */
  isSkipped(index: number): boolean
}

/** Without rules (the problem is not scored) tests are run in judging order up to the first that fails. */
export const planRun = (rules: ScoringRules | null, tests: readonly ScoredTest[]): RunPlan =>
  rules ? planScoredRun(rules, tests) : planPlainRun(tests.length)

function planPlainRun(count: number): RunPlan {
  let firstFailure = count
  return {
    order: Array.from({ length: count }, (_, index) => index),
    record(index, { result }) {
      if (result !== 1 && index < firstFailure) firstFailure = index
    },
    isSkipped: (index) => index > firstFailure,
  }
}

/** What is run as one: the open tests, the root's own tests, each group. */
type Unit = {
  readonly name: string
  readonly required: readonly string[]
  /** Whether it stops at its first 0, and whether the root does so after it. */
  readonly stops: boolean
  readonly counts: boolean
  readonly size: number
  readonly last: number | undefined
  readonly zeros: Set<number>
  firstZero: number
  hasFailed: boolean
  isSkipped: boolean
}

function planScoredRun(rules: ScoringRules, tests: readonly ScoredTest[]): RunPlan {
  const members = groupTests(rules, tests)
  const units: Unit[] = []
  const unitOf = new Map<number, Unit>()
  const placeOf = new Map<number, number>()
  const order: number[] = []
  const add = (indexes: readonly number[], rest: Pick<Unit, 'name' | 'required' | 'stops' | 'counts'>) => {
    const state = { zeros: new Set<number>(), firstZero: Number.POSITIVE_INFINITY, hasFailed: false, isSkipped: false }
    const unit = { ...rest, ...state, size: indexes.length, last: indexes.at(-1) }
    units.push(unit)
    for (const index of indexes) {
      unitOf.set(index, unit)
      placeOf.set(index, order.push(index) - 1)
    }
  }
  add(members.get(sampleGroup)!, { name: sampleGroup, required: [], stops: false, counts: false })
  add(members.get('')!, { name: '', required: [], stops: stopsAtZero(rules.aggregation), counts: true })
  for (const { name, required, aggregation } of orderGroups(resolveRequired(rules, tests, members)))
    add(members.get(name)!, { name, required, stops: stopsAtZero(aggregation), counts: true })

  /** Groups come after those they require, so one pass through the units in their order settles all of them. */
  function settleUnits(): void {
    const failed = new Set<string>()
    let isOver = false
    for (const unit of units) {
      const isLocked = unit.required.some((name) => failed.has(name))
      unit.isSkipped = unit.size > 0 && ((unit.counts && isOver) || isLocked)
      // One without tests passes those on that require it, but not past what it requires itself.
      if (unit.isSkipped || isLocked || unit.hasFailed) failed.add(unit.name)
      if (unit.counts && stopsAtZero(rules.aggregation)) isOver ||= unit.isSkipped || isZero(unit)
    }
  }

  return {
    order,
    record(index, { result, score }) {
      const unit = unitOf.get(index)!
      if (result === 1 && score !== 0) return
      const [hadFailed, wasZero] = [unit.hasFailed, isZero(unit)]
      // A test that gave nothing keeps those after it from being run, and what was not run has not passed.
      unit.hasFailed ||= result !== 1 || (unit.stops && index !== unit.last)
      unit.zeros.add(index)
      unit.firstZero = Math.min(unit.firstZero, placeOf.get(index)!)
      if (unit.hasFailed !== hadFailed || isZero(unit) !== wasZero) settleUnits()
    },
    isSkipped(index) {
      const unit = unitOf.get(index)!
      return unit.isSkipped || (unit.stops && placeOf.get(index)! > unit.firstZero)
    },
  }
}

const isZero = ({ stops, zeros, size }: Unit): boolean => (stops ? zeros.size > 0 : size > 0 && zeros.size === size)
