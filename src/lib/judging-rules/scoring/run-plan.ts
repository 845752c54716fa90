/** Plans which tests are run, in which order, and which are skipped: test by test, even if several run at a time. */
import {
  groupTests,
  orderGroups,
  resolveRequired,
  type ScoredTest,
  type ScoringRules,
  sampleGroup,
  stopsAtZero,
} from './rules.ts'

/** `result`: 1 passed, 0 not run. `score`: a checker's, in millionths; without it, accepted means the maximum. */
export type TestOutcome = { readonly result: number; readonly score?: number | undefined }

export type RunPlan = {
  /** Indexes of the tests in running order. */
  readonly order: readonly number[]
  /** Records a test's outcome. Concurrent tests may be recorded in any order. */
  record(index: number, outcome: TestOutcome): void
  /**
   * Whether the outcomes so far make this test unnecessary. Once every test before it in the order is recorded or
   * skipped, the answer is final; a test that was run ahead and is then skipped counts as not run.
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

/** Tests that are run as a unit: the open tests, the root's own tests, or a group. */
type Unit = {
  readonly name: string
  readonly required: readonly string[]
  /** `stops`: the unit stops at its first 0. `counts`: a 0 of the unit may stop the root. */
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
      // A unit without tests does not block units that require it, unless it is blocked itself.
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
      // A test that gave nothing stops later tests from running, and a test that was not run has not passed.
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
