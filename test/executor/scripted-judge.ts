/** A scripted judge: the few operations an executor calls, answered from memory, so that each misfortune can be arranged. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createListener, type Server as Listener } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: what an executor sends is looked at freely in the tests
type Params = Record<string, any>
export type Call = { method: string; params: Params }
export type ScriptedReport = { Result: number; CompilerOutput: string; TestList: Params[]; JudgeMessage?: string }

export type ScriptedSubmission = {
  ID: number
  language: string
  content: string
  problem: string
  status: 'submitted' | 'executing' | 'finished'
  lease: string
  members: Params
  report?: ScriptedReport
  failures: string[]
}

export type ScriptedJudge = {
  readonly url: string
  readonly calls: Call[]
  readonly submissions: ScriptedSubmission[]
  addProblem(options: {
    tests: [string, string][]
    timeLimitMs?: number
    memoryLimitBytes?: number
    /** How it is judged, and what is said of each of its tests. */
    judging?: Params
    testJudgings?: Params[]
  }): string
  /** `members`: of the claim, beside the usual ones. */
  submit(problem: string, language: string, content: string, members?: Params): ScriptedSubmission
  finished(submission: ScriptedSubmission): Promise<ScriptedReport>
  until(condition: () => boolean): Promise<void>
  /** Answers this method from now on; null puts the usual answer back. */
  answer(method: string, act: ((params: Params) => unknown) | null): void
  changeTests(problem: string, tests: [string, string][]): void
  leaseMs: number
  /** Claims that wait for an answer. The next submission goes to one of them, be its sender alive or not yet known to be dead. */
  waitingClaims: number
  /** Hangs up on everyone who connects from now on. */
  goAway(): Promise<void>
  /** How often somebody connected since it went away. */
  triesWhileAway: number
  comeBack(): Promise<void>
  close(): Promise<void>
}

export class JudgeRefusal extends Error {
  readonly code: number
  constructor(code: number) {
    super(`refused with ${code}`)
    this.code = code
  }
}

type Problem = {
  tests: { UUID: string; Input: string; Output: string }[]
  time: number
  memory: number
  hash: string
  judging?: Params | undefined
  testJudgings?: Params[] | undefined
}

export async function startScriptedJudge(): Promise<ScriptedJudge> {
  const problems = new Map<string, Problem>()
  const overrides = new Map<string, (params: Params) => unknown>()
  const calls: Call[] = []
  const submissions: ScriptedSubmission[] = []
  let server: Server | null = null
  let absent: Listener | null = null
  let port = 0

  const withUuids = (tests: [string, string][]) =>
    tests.map(([Input, Output]) => ({ UUID: randomUUID(), Input, Output, IsHidden: true }))
  const cut = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}...` : text)
  const held = (params: Params) => {
    const found = submissions.find((each) => each.ID === params.ID)
    if (!found) throw new JudgeRefusal(6)
    if (found.lease !== params.Lease || found.status !== 'executing') throw new JudgeRefusal(10)
    return found
  }

  const hand = (submission: ScriptedSubmission) => {
    submission.status = 'executing'
    submission.lease = randomUUID()
    const { ID, content: Content, language: Language, lease: Lease } = submission
    const LeaseExpiryTime = Date.now() + judge.leaseMs
    const problem = problems.get(submission.problem)
    const JudgingHash = problem?.judging?.JudgingHash
    const Problem = { UUID: submission.problem }
    const claimed = { ID, Content, Language, Lease, LeaseExpiryTime, Problem, ...submission.members }
    return JudgingHash === undefined
      ? claimed
      : {
          ...claimed,
          JudgingHash,
          TimeLimitInMillisecond: 2_000,
          MemoryLimitInByte: problem!.memory,
          TestCaseHash: problem!.hash,
        }
  }

  const methods: Record<string, (params: Params, isGone: () => boolean) => unknown> = {
    register_executor: () => ({}),
    unregister_executor: () => ({}),
    async get_and_update_first_submitted_submission_to_executing(params, isGone) {
      judge.waitingClaims++
      const deadline = Date.now() + Math.min(params.WaitMillisecond ?? 0, 2_000)
      try {
        while (!isGone()) {
          const needsChecker = (each: ScriptedSubmission) => !!problems.get(each.problem)?.judging?.Checker.Program
          const isSuited = (each: ScriptedSubmission) => !needsChecker(each) || params.FeatureList.includes('checker')
          const next = submissions.find((each) => each.status === 'submitted' && isSuited(each))
          if (next) return { Submission: hand(next) }
          if (Date.now() > deadline) throw new JudgeRefusal(6)
          await sleep(5)
        }
        return {}
      } finally {
        judge.waitingClaims--
      }
    },
    get_problem({ UUID }) {
      const problem = problems.get(UUID)
      if (!problem) throw new JudgeRefusal(6)
      return {
        Problem: {
          UUID,
          TimeLimitInMillisecond: problem.time,
          MemoryLimitInByte: problem.memory,
          TestCaseHash: problem.hash,
        },
      }
    },
    get_problem_test_case_snippet_list({ ProblemUUID, Offset, Limit }) {
      const { tests } = problems.get(ProblemUUID)!
      const list = tests
        .slice(Offset, Offset + Limit)
        .map((test) => ({ ...test, Input: cut(test.Input), Output: cut(test.Output) }))
      return { TotalTestCaseCount: tests.length, TestCaseSnippetList: list }
    },
    get_problem_judging: ({ UUID }) => ({ Judging: problems.get(UUID)!.judging }),
    get_problem_test_case_judging_list({ ProblemUUID, Offset, Limit }) {
      const { tests, testJudgings = [] } = problems.get(ProblemUUID)!
      const list = tests.map(({ UUID }, i) => ({
        UUID,
        Group: '',
        Points: null,
        ArgumentList: null,
        ...testJudgings[i],
      }))
      return { TotalTestCaseCount: tests.length, TestCaseJudgingList: list.slice(Offset, Offset + Limit) }
    },
    get_test_case: ({ UUID }) => ({
      TestCase: [...problems.values()].flatMap((problem) => problem.tests).find((test) => test.UUID === UUID),
    }),
    renew_submission_lease: (params) => {
      held(params)
      return { LeaseExpiryTime: Date.now() + judge.leaseMs }
    },
    report_submission(params) {
      const found = held(params)
      found.status = 'finished'
      found.report = params.Report
      return { SubmissionSnippet: {} }
    },
    report_submission_failure(params) {
      const found = held(params)
      found.failures.push(params.Reason)
      found.status = found.failures.length === 3 ? 'finished' : 'submitted'
      return { SubmissionSnippet: {} }
    },
    update_submission(params) {
      held(params).status = 'submitted'
      return { SubmissionSnippet: {} }
    },
  }

  const listen = async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Call & { id: string }
      calls.push({ method, params })
      const act = overrides.get(method) ?? methods[method]
      let answer: object
      try {
        if (request.headers.authorization !== 'Bearer worker-token') throw new JudgeRefusal(17)
        answer = act
          ? { result: await act(params, () => response.destroyed) }
          : { error: { code: -32601, message: 'no such method', data: {} } }
      } catch (error) {
        const code = error instanceof JudgeRefusal ? error.code : -32603
        answer = { error: { code, message: String(error), data: {} } }
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await listen()

  const close = async () => {
    server?.closeAllConnections()
    for (const open of [server, absent]) if (open?.listening) await new Promise((resolve) => open.close(resolve))
  }

  const judge: ScriptedJudge = {
    url: `http://127.0.0.1:${port}/`,
    calls,
    submissions,
    leaseMs: 60_000,
    waitingClaims: 0,
    triesWhileAway: 0,
    addProblem({ tests, timeLimitMs = 1_000, memoryLimitBytes = 64 * 1024 * 1024, judging, testJudgings }) {
      const uuid = randomUUID()
      problems.set(uuid, {
        tests: withUuids(tests),
        time: timeLimitMs,
        memory: memoryLimitBytes,
        hash: randomUUID(),
        judging,
        testJudgings,
      })
      return uuid
    },
    changeTests(problem, tests) {
      Object.assign(problems.get(problem)!, { tests: withUuids(tests), hash: randomUUID() })
    },
    submit(problem, language, content, members = {}) {
      const submission: ScriptedSubmission = {
        ID: submissions.length + 1,
        ...{ language, content, problem, status: 'submitted', lease: '', members, failures: [] },
      }
      submissions.push(submission)
      return submission
    },
    async finished(submission) {
      await judge.until(() => submission.status === 'finished')
      return submission.report!
    },
    until,
    answer(method, act) {
      if (act) overrides.set(method, act)
      else overrides.delete(method)
    },
    async goAway() {
      await close()
      judge.triesWhileAway = 0
      absent = createListener((socket) => {
        judge.triesWhileAway++
        socket.destroy()
      }).listen(port, '127.0.0.1')
      await once(absent, 'listening')
    },
    async comeBack() {
      await close()
      await listen()
    },
    close,
  }
  return judge
}
