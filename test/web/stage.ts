/** A stage for the browser tests: one server with a real executor, one browser, and a few people. */

import { runExecutor } from '../../src/executor/executor.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { makeLog } from '../../src/lib/log.ts'
import { openBrowser, openTab, type Tab } from '../support/browser.ts'
import { type JudgeStage, makeProblem, makeTest, startJudge } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'

export const password = 'correct horse'

/** Without an executor verdicts are reported by a worker that only says so. */
export async function openStage({ clock, isJudged = true }: { clock?: Clock; isJudged?: boolean } = {}) {
  const environment = { GUILDHALL_LIMITS: 'off' }
  const judge = await startJudge('sqlite', { environment, ...(clock && { clock }) })
  const executor = isJudged ? await startExecutor(judge) : undefined
  const browser = await openBrowser()
  const people: Record<string, string> = { ann: 'contestant', sam: 'problem_setter', ada: 'admin' }
  for (const [name, Role] of Object.entries(people))
    await judge.cast.admin.call('create_account', { AccountName: name, DisplayName: name, Role, Password: password })
  const tabs: Tab[] = []

  const open = async (looks: Parameters<typeof openTab>[2] = {}) => {
    const tab = await openTab(browser, judge.url, looks)
    tabs.push(tab)
    return tab
  }
  return {
    ...judge,
    open,
    /** Signed in as `name`, without the form. */
    async openAs(name: string, looks: Parameters<typeof openTab>[2] = {}): Promise<Tab> {
      const tab = await open(looks)
      const answer = await tab.context.request.post(`${judge.url}/`, {
        data: {
          jsonrpc: '2.0',
          id: crypto.randomUUID(),
          method: 'create_session',
          params: { AccountName: name, Password: password },
        },
      })
      if (!answer.ok()) throw new Error(`${name} could not sign in: ${answer.status()}`)
      return tab
    },
    /** Pages that nobody looks at any more would go on drawing and asking. */
    async closeTabs() {
      await Promise.all(tabs.map(({ context }) => context.close()))
    },
    /** What any page complained of: errors of scripts, and breaches of the policy. */
    complaints: () => tabs.flatMap((tab) => tab.complaints),
    async close() {
      await browser.close()
      await executor?.stop()
      await judge.stop()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

export async function makeSum({ cast }: JudgeStage, change: object = {}): Promise<Json> {
  const problem = await makeProblem(cast.admin, {
    DisplayName: 'Sum of two',
    Description: 'Add **two** numbers, $1 \\le a, b \\le 10^9$.\n\n| a | b |\n|---|--:|\n| 1 | 2 |',
    MemoryLimitInByte: 256 * 1024 * 1024,
    ...change,
  })
  await makeTest(cast.admin, problem.UUID, { Input: '1 2\n', Output: '3\n', IsHidden: false })
  await makeTest(cast.admin, problem.UUID, { Input: '40 2\n', Output: '42\n' })
  return problem
}

/** Ada's, for everybody who knows its id to read. Answers the id. */
export async function makeDataset(
  { url, cast }: JudgeStage,
  name: string,
  items: readonly object[],
  change: object = {},
): Promise<string> {
  const ada = await cast.anonymous.signIn('ada', password)
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const send = async (path: string, method: string, body: object) => {
    const answer = await fetch(`${url}/v2/datasets${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Json
  }
  const { data } = await send(`?name=${name}`, 'POST', {})
  await send(`/${data.id}/items`, 'POST', items)
  await send(`/${data.id}`, 'PUT', { generalAccess: 'ANYONE_WITH_ID_CAN_READ', ...change })
  return data.id as string
}

export const sum = 'a, b = map(int, input().split())\nprint(a + b)\n'

export async function startExecutor({ url, cast }: JudgeStage): Promise<{ stop(): Promise<void> }> {
  const stop = new AbortController()
  let ended: Promise<void> = Promise.resolve()
  await new Promise<void>((resolve, reject) => {
    ended = runExecutor({
      serverUrl: url,
      token: cast.worker.token!,
      log: makeLog('fatal'),
      signal: stop.signal,
      name: 'stage',
      parallelRuns: 1,
      only: ['python'],
      onReady: () => resolve(),
    })
    ended.catch(reject)
  })
  return {
    async stop() {
      stop.abort()
      await ended
    },
  }
}
