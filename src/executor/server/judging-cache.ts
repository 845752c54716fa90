/** A cache of problems' judging settings: fetched once per state, and translated from the judge's terms into ours. */
import { type Aggregation, toMillionths } from '../../lib/judging-rules/scoring/rules.ts'
import type { CheckerSource } from '../checkers/checker-program.ts'
import { makeHeldCache } from '../held-cache.ts'
import { linesJudging, type ProblemJudging } from '../judging/problem-judging.ts'
import type { TestCase } from '../judging/test-case.ts'
import { readPages } from './pages.ts'
import type { Ask, Rpc } from './rpc.ts'
import { TestsChanged } from './test-cases.ts'

export type JudgingCache = {
  /** `hash` comes from the claim; an older judge gives none. */
  obtain(problem: { uuid: string; hash: string | undefined }, signal: AbortSignal): Promise<FetchedJudging>
}

export type FetchedJudging = {
  readonly judging: ProblemJudging
  /** Adds the test's own judging settings. */
  complete(test: TestCase): TestCase
}

type WireProgram = { Language: string; FileList: { Name: string; Content: string }[] }
type WireJudging = {
  JudgingHash: string
  Type: 'batch' | 'interactive'
  PassLimit: number
  Checker: { Kind: ProblemJudging['checker']['kind']; ArgumentList: string[]; Program: WireProgram | null }
  Interactor: WireProgram | null
  IsScored: boolean
  Aggregation: Aggregation
  MaximumScore: number | null
  GroupList: { Name: string; Aggregation: Aggregation; MaximumScore: number | null; RequireList: string[] }[]
}
type WireTest = { UUID: string; Group: string; Points: number | null; ArgumentList: string[] | null }

type Kept = FetchedJudging & { readonly bytes: number }

const plain: FetchedJudging = { judging: linesJudging, complete: (test) => test }

export function makeJudgingCache({
  rpc,
  cacheBytes = 64 * 1024 ** 2,
}: {
  rpc: Rpc
  cacheBytes?: number
}): JudgingCache {
  const cache = makeHeldCache<Kept>({ mostBytes: cacheBytes, sizeOf: ({ bytes }) => bytes, drop: () => undefined })
  return {
    async obtain({ uuid, hash }, signal) {
      if (hash === undefined) return plain
      const ask: Ask = (method, params) => rpc.callUntilAnswered(method, params, signal)
      const { value, release } = await cache.obtain(`${uuid} ${hash}`, () => fetchState(ask, uuid, hash))
      release()
      signal.throwIfAborted()
      return value
    },
  }
}

/**
 * If the settings changed since the claim, they are fetched again: the submission is then judged by the present ones.
 */
async function fetchState(ask: Ask, problem: string, hash: string): Promise<Kept> {
  const fetchJudging = async () =>
    (await ask<{ Judging: WireJudging }>('get_problem_judging', { UUID: problem })).Judging
  const judging = await fetchJudging()
  const tests = await readPages<WireTest>(
    (range) => ask('get_problem_test_case_judging_list', { ProblemUUID: problem, ...range }),
    'TestCaseJudgingList',
  )
  const { JudgingHash: newest } = await fetchJudging()
  if (judging.JudgingHash !== hash || newest !== hash)
    throw new TestsChanged('How the problem is judged changed while it was fetched, again and again.', newest)
  const byTest = new Map(tests.map((test) => [test.UUID, toTest(test)]))
  return {
    judging: toJudging(judging),
    complete: (test) => ({ ...test, ...byTest.get(test.uuid) }),
    bytes: 1024 + 200 * tests.length + JSON.stringify([judging.Checker, judging.Interactor]).length,
  }
}

const toTest = ({ Group, Points, ArgumentList }: WireTest) => ({
  group: Group,
  points: Points === null ? null : toMillionths(Points),
  arguments: ArgumentList,
})

const toSource = (program: WireProgram | null): CheckerSource | null =>
  program && {
    language: program.Language,
    files: program.FileList.map(({ Name, Content }) => ({ name: Name, content: Buffer.from(Content, 'base64') })),
  }

const toMaximum = (points: number | null) => (points === null ? null : toMillionths(points))

const toJudging = (wire: WireJudging): ProblemJudging => ({
  hash: wire.JudgingHash,
  isInteractive: wire.Type === 'interactive',
  passLimit: wire.PassLimit,
  checker: {
    kind: wire.Checker.Kind,
    arguments: wire.Checker.ArgumentList,
    source: toSource(wire.Checker.Program),
  },
  interactor: toSource(wire.Interactor),
  scoring: wire.IsScored
    ? {
        aggregation: wire.Aggregation,
        maximum: toMaximum(wire.MaximumScore),
        groups: wire.GroupList.map((group) => ({
          name: group.Name,
          aggregation: group.Aggregation,
          maximum: toMaximum(group.MaximumScore),
          required: group.RequireList,
        })),
      }
    : null,
})
