/** A server and an executor beside it, for submissions that are judged end to end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtFile } from '../../scripts/build.mjs'
import { adminToken, startGuildhall } from '../peers.ts'

export type Judging = {
  makeProblem(tests: [string, string][]): Promise<string>
  submit(problem: string, language: string, content: string): Promise<number>
  /** Throws where it is not judged, or not right, in time. */
  wait(id: number, deadline?: number): Promise<void>
  stop(): Promise<void>
}

/** For an executor to begin, and for a single submission. */
const patienceMs = 60_000

/** Each in a process of its own, as `npm start` has them. */
export async function startJudging(languages = 'c,python'): Promise<Judging> {
  const server = await startGuildhall({ GUILDHALL_LIMITS: 'off', GUILDHALL_EXECUTORS: '0' })
  const call = makeCaller(server.url, adminToken)
  await call('create_account', {
    AccountName: 'bench',
    DisplayName: 'Bench',
    Role: 'worker',
    Password: 'bench-password',
  })
  const { Token } = await call('create_session', { AccountName: 'bench', Password: 'bench-password' })
  const words = ['--server', server.url, '--token', '-', '--only', languages]
  const executor = spawn(process.execPath, [builtFile('executor/main.ts'), ...words], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, GUILDHALL_LOG: 'error' },
  })
  const stop = async () => {
    if (executor.exitCode === null && executor.signalCode === null) {
      const ended = once(executor, 'exit')
      executor.kill('SIGTERM')
      await ended
    }
    await server.stop()
  }
  executor.stdin!.on('error', () => undefined)
  executor.stdin!.write(`${Token}\n`)
  try {
    await untilReady(executor)
  } catch (error) {
    await stop()
    throw error
  }
  const judging: Judging = {
    async makeProblem(tests) {
      const { Problem } = await call('create_problem', {
        ...{ DisplayName: 'Bench', Description: '', TimeLimitInMillisecond: 1_000, MemoryLimitInByte: 64 << 20 },
        ExampleList: [],
      })
      for (const [Input, Output] of tests) {
        await call('create_test_case', { ProblemUUID: Problem.UUID, Input, Output, IsHidden: true })
      }
      return Problem.UUID
    },
    async submit(ProblemUUID, Language, Content) {
      return (await call('create_submission', { ProblemUUID, Language, Content })).SubmissionSnippet.ID
    },
    async wait(ID, deadline = performance.now() + patienceMs) {
      for (;;) {
        const left = Math.max(0, Math.ceil(deadline - performance.now()))
        const { Submission } = await call('wait_for_submission', { ID, WaitMillisecond: Math.min(30_000, left) })
        if (Submission.Result === 1) return
        if (Submission.Status === 3) throw new Error(`The bench's submission ${ID} got ${Submission.Result}.`)
        if (left === 0) throw new Error(`Submission ${ID} was not judged in time: its status is ${Submission.Status}.`)
      }
    },
    stop,
  }
  return judging
}

async function untilReady(executor: ChildProcess): Promise<void> {
  const [said, code, signal] = await Promise.race([
    once(executor, 'message'),
    once(executor, 'exit').then(([code, signal]) => [null, code, signal]),
    sleep(patienceMs, [null, null, `nothing within ${patienceMs / 1000} s`], { ref: false }),
  ])
  if (said !== 'ready') throw new Error(`The executor did not begin: ${said ?? signal ?? `it ended with ${code}`}.`)
}

// biome-ignore lint/suspicious/noExplicitAny: a bench looks into answers freely
type Json = any

function makeCaller(url: string, token: string): (method: string, params: object) => Promise<Json> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method, params })
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as Json
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }
}
