/** A cache of test cases as files: fetched once per state of a problem's list, and evicted beyond a size. */

import { makeHeldCache } from '../held-cache.ts'
import type { TestCase } from '../judging/test-case.ts'
import type { KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { readPages } from './pages.ts'
import type { Ask, Rpc } from './rpc.ts'

export type TestCases = {
  /** Keeps the files of the list until `release` is called. */
  obtain(problem: { uuid: string; hash: string }, signal: AbortSignal): Promise<HeldTests>
  /** Disk space of the files that are held. */
  readonly heldBytes: number
}

export type HeldTests = { readonly tests: readonly TestCase[]; release(): void }

type Snippet = { UUID: string; Input: string; Output: string; IsHidden?: boolean }
type KeptTest = TestCase & { readonly files: readonly KeptFile[] }

/** The author of the tests caused this, not the executor. */
export class TestsChanged extends Error {
  /** The newer state of the judging settings, if those changed. */
  readonly judgingHash: string | undefined
  constructor(message: string, judgingHash?: string) {
    super(message)
    this.judgingHash = judgingHash
  }
}

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
  const cache = makeHeldCache<readonly KeptTest[]>({
    mostBytes: cacheBytes,
    sizeOf: (tests) => tests.flatMap((test) => test.files).reduce((sum, file) => sum + file.size, 0),
    drop: dropAll,
  })
  // A fetch is shared: if the run that started it is aborted, the others fail with it and are retried.
  const asking =
    (signal: AbortSignal): Ask =>
    (method, params) =>
      rpc.callUntilAnswered(method, params, signal)

  return {
    get heldBytes() {
      return cache.heldBytes
    },
    async obtain({ uuid, hash }, signal) {
      const fetch = () => fetchAll(asking(signal), sandbox, uuid, hash)
      const { value, release } = await cache.obtain(`${uuid} ${hash}`, fetch)
      if (!signal.aborted) return { tests: value, release }
      release()
      throw signal.reason
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
  const snippets = await readPages<Snippet>(
    (range) => ask('get_problem_test_case_snippet_list', { ProblemUUID: problem, ...range }),
    'TestCaseSnippetList',
  )
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

/** A snippet that was cut is longer than 100 characters, so a shorter one is complete. */
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
    isHidden: test.IsHidden ?? true,
    files: [input, output],
  }
}

function dropAll(tests: readonly KeptTest[]): void {
  for (const file of tests.flatMap((test) => test.files)) file.drop()
}
