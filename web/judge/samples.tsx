/** Three small problems for an empty server, so that a newcomer sees a verdict within a minute. */
import { call } from '../api/rpc.ts'
import { useAct } from '../parts/form.tsx'
import { Failed } from '../parts/state.tsx'

type Sample = {
  readonly name: string
  readonly text: string
  /** The first is the example, too, and is open. */
  readonly tests: readonly (readonly [input: string, output: string])[]
}

const samples: readonly Sample[] = [
  {
    name: 'Longest word',
    text: 'Print the longest word of a line. Of several that are equally long, print the first.\n\n## Input\n\nOne line of words with single blanks between them, at most $10^5$ characters.\n\n## Output\n\nThe word.',
    tests: [
      ['the quick brown fox\n', 'quick\n'],
      ['a\n', 'a\n'],
      ['one two six\n', 'one\n'],
      [`${'ab '.repeat(1000)}abc\n`, 'abc\n'],
    ],
  },
  {
    name: 'Divisors',
    text: 'How many numbers divide $n$?\n\n## Input\n\nOne number $n$, $1 \\le n \\le 10^{12}$.\n\n## Output\n\nThe count of its divisors, 1 and $n$ among them. Trying all up to $n$ takes too long; try up to $\\sqrt{n}$.',
    tests: [
      ['12\n', '6\n'],
      ['1\n', '1\n'],
      ['1000000000000\n', '169\n'],
      ['999999999989\n', '2\n'],
    ],
  },
  {
    name: 'Sum of two',
    text: 'Add two numbers.\n\n## Input\n\nOne line with $a$ and $b$, $-10^9 \\le a, b \\le 10^9$.\n\n## Output\n\n$a + b$.\n\nIn Python:\n\n```python\na, b = map(int, input().split())\nprint(a + b)\n```',
    tests: [
      ['1 2\n', '3\n'],
      ['-5 5\n', '0\n'],
      ['1000000000 1000000000\n', '2000000000\n'],
    ],
  },
]

async function addSample({ name, text, tests }: Sample): Promise<void> {
  const [[Input, Output]] = tests as [readonly [string, string]]
  const { Problem } = await call('create_problem', {
    DisplayName: name,
    Description: text,
    TimeLimitInMillisecond: 2_000,
    MemoryLimitInByte: 256 * 1024 * 1024,
    ExampleList: [{ Input, Output }],
  })
  for (const [at, test] of tests.entries())
    await call('create_test_case', { ProblemUUID: Problem.UUID, Input: test[0], Output: test[1], IsHidden: at > 0 })
}

export function AddSamples({ reload }: { reload(): void }) {
  const act = useAct()
  const add = () =>
    act.run(async () => {
      for (const sample of samples) await addSample(sample)
      reload()
    })
  return (
    <>
      <button type="button" class="button main" disabled={act.isBusy} onClick={() => void add()}>
        {act.isBusy && <span class="spinner" aria-hidden="true" />}
        Add three sample problems
      </button>
      {act.error !== undefined && <Failed error={act.error} />}
    </>
  )
}
