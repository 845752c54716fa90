/** A cache of test cases as files: they are fetched once for each state of a problem's list, and evicted beyond a size. */

import type { TestCase } from '../judging/test-run.ts'
import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import type { Rpc } from './rpc.ts'

export type TestCases = {
  /** Keeps the files of the list until `release` is called. */
  obtain(problem: { uuid: string; hash: string }, signal: AbortSignal): Promise<HeldTests>
}

export type HeldTests = { readonly tests: readonly TestCase[]; release(): void }

type Ask = <T>(method: string, params: object) => Promise<T>
type Snippet = { UUID: string; Input: string; Output: string }
type KeptTest = TestCase & { readonly files: readonly KeptFile[] }
type Entry = { tests: Promise<readonly KeptTest[]>; holders: number; bytes: number; isStale: boolean }

/** Whoever writes the problem's tests did this, not the executor. */
export class TestsChanged extends Error {}

const pageLimit = 100
const snippetCharacters = 100
const parallelFetches = 4

export function makeTestCases({
  rpc,
  sandbox,
  cacheBytes = 2 * 1024 ** 3,
}: {
  rpc: Rpc
  sandbox: Sandbox
  cacheBytes?: number
}): TestCases {
  const entries = new Map<string, Entry>() // in order of use, the oldest first

  // The fetch is shared: when the run that started it is aborted, the others fail with it and are tried again.
  const asking =
    (signal: AbortSignal): Ask =>
    (method, params) =>
      rpc.callUntilAnswered(method, params, signal)

  const discard = (key: string, entry: Entry) => {
    if (entries.get(key) === entry) entries.delete(key)
    entry.isStale = true
    if (entry.holders > 0) return
    entry.tests.then(dropAll, () => undefined)
  }
  const shrink = () => {
    let total = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
    for (const [key, entry] of entries) {
      if (total <= cacheBytes) return
      if (entry.holders > 0) continue
      total -= entry.bytes
      discard(key, entry)
    }
  }

  return {
    async obtain({ uuid, hash }, signal) {
      const key = `${uuid} ${hash}`
      const entry = entries.get(key) ?? {
        tests: fetchAll(asking(signal), sandbox, uuid, hash),
        holders: 0,
        bytes: 0,
        isStale: false,
      }
      entries.delete(key)
      entries.set(key, entry)
      entry.holders++
      const release = () => {
        entry.holders--
        if (entry.isStale && entry.holders === 0) entry.tests.then(dropAll, () => undefined)
        shrink()
      }
      try {
        const tests = await entry.tests
        signal.throwIfAborted()
        entry.bytes = tests.flatMap((test) => test.files).reduce((sum, file) => sum + file.size, 0)
        return { tests, release }
      } catch (error) {
        release()
        discard(key, entry)
        throw error
      }
    },
  }
}

async function fetchAll(ask: Ask, sandbox: Sandbox, problem: string, hash: string): Promise<KeptTest[]> {
  const tests = await fetchOnce(ask, sandbox, problem)
  const { Problem } = await ask<{ Problem: { TestCaseHash: string } }>('get_problem', { UUID: problem })
  if (Problem.TestCaseHash === hash) return tests
  dropAll(tests)
  throw new TestsChanged('The test cases changed while they were fetched, again and again.')
}

async function fetchOnce(ask: Ask, sandbox: Sandbox, problem: string): Promise<KeptTest[]> {
  const snippets: Snippet[] = []
  for (;;) {
    const page = await ask<{ TotalTestCaseCount: number; TestCaseSnippetList: Snippet[] }>(
      'get_problem_test_case_snippet_list',
      { ProblemUUID: problem, Offset: snippets.length, Limit: pageLimit },
    )
    snippets.push(...page.TestCaseSnippetList)
    if (page.TestCaseSnippetList.length === 0 || snippets.length >= page.TotalTestCaseCount) break
  }
  const tests: KeptTest[] = []
  let next = 0
  const work = async () => {
    while (next < snippets.length) {
      const place = next++
      tests[place] = await keep(sandbox, await complete(ask, snippets[place]!))
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: parallelFetches }, work))
  const failed = workers.find((worker) => worker.status === 'rejected')
  if (!failed) return tests
  dropAll(tests.filter(Boolean))
  throw failed.reason
}

/** A snippet that was cut is longer than 100 characters, so a shorter one is whole. */
async function complete(ask: Ask, snippet: Snippet): Promise<Snippet> {
  if (snippet.Input.length <= snippetCharacters && snippet.Output.length <= snippetCharacters) return snippet
  const { TestCase } = await ask<{ TestCase: Snippet }>('get_test_case', { UUID: snippet.UUID })
  return TestCase
}

async function keep(sandbox: Sandbox, test: Snippet): Promise<KeptTest> {
  const input = await sandbox.keep(Buffer.from(test.Input))
  const output = await sandbox.keep(Buffer.from(test.Output)).catch((error: unknown) => {
    input.drop()
    throw error
  })
  return {
    uuid: test.UUID,
    inputPath: input.path,
    outputPath: output.path,
    outputBytes: output.size,
    files: [input, output],
  }
}

function dropAll(tests: readonly KeptTest[]): void {
  for (const file of tests.flatMap((test) => test.files)) file.drop()
}
