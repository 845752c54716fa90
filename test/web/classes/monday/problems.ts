/** The three problems of the Monday's sheet, and programs for them: one with a checker and groups, one from a package, one with points. */
import { makeProblem, makeTest } from '../../../support/judge.ts'
import type { Json, RpcClient } from '../../../support/rpc.ts'
import { makeZip } from '../../../support/zip.ts'

/** A busy machine must not change a verdict. */
const roomy = { TimeLimitInMillisecond: 10_000, MemoryLimitInByte: 256 * 1024 * 1024 }

/** Any two numbers whose sum is the input: a checker must judge, and half of the points are for small numbers. */
export async function makeGrouped(sam: RpcClient): Promise<Json> {
  const { UUID } = await makeProblem(sam, { DisplayName: 'Grouped', ...roomy })
  const tests = [
    { path: 'sample/1', number: 5 },
    { path: 'small/1', number: 9 },
    { path: 'large/1', number: 1_000_000 },
  ].flatMap(({ path, number }) => [
    { path: `${path}.in`, data: `${number}\n` },
    { path: `${path}.out`, data: `${number} 0\n` },
  ])
  const ZippedTestData = makeZip(tests).toString('base64')
  await sam.call('create_test_case_list', { ProblemUUID: UUID, ZippedTestData, KeepsFolders: true })
  const FileList = [{ Name: 'check.py', Content: Buffer.from(checker).toString('base64') }]
  const GroupList = [
    { Name: 'small', Aggregation: 'sum', MaximumScore: 50, RequireList: [] },
    { Name: 'large', Aggregation: 'sum', MaximumScore: 50, RequireList: ['small'] },
  ]
  const Checker = { Kind: 'kattis', ArgumentList: [], Program: { Language: 'python', FileList } }
  await sam.call('update_problem_judging', { UUID, Judging: { Checker, IsScored: true, GroupList } })
  return { UUID }
}

const checker = `import sys
number = int(open(sys.argv[1]).read())
words = sys.stdin.read().split()
sys.exit(42 if len(words) == 2 and sum(map(int, words)) == number else 43)
`

export async function makeImported(sam: RpcClient): Promise<Json> {
  const zip = makeZip([
    { path: 'problem.yaml', data: 'name: Imported\n' },
    { path: 'data/sample/1.in', data: '2\n' },
    { path: 'data/sample/1.ans', data: '4\n' },
    { path: 'data/secret/1.in', data: '21\n' },
    { path: 'data/secret/1.ans', data: '42\n' },
  ])
  return (await sam.call('import_problem_package', { ZippedPackage: zip.toString('base64') })).Problem
}

/** How many pairs of numbers have a given sum. */
export async function makeScored(sam: RpcClient): Promise<Json> {
  const { UUID } = await makeProblem(sam, { DisplayName: 'Scored', ...roomy })
  await makeTest(sam, UUID, { Input: '1 2 3 4 2\n5\n', Output: '3\n' })
  await sam.call('update_problem_judging', { UUID, Judging: { IsScored: true, MaximumScore: 20 } })
  return { UUID }
}

export const double = 'print(2 * int(input()))\n'

export const grouped = {
  right: 'n = int(input())\nprint(n // 2, n - n // 2)\n',
  /** Half of the points: not a large number. */
  small: 'n = int(input())\nprint(min(n, 99), 0)\n',
  wrong: 'print(0, 0)\n',
}

const counting = `import sys

def count_pairs(numbers, target):
    seen = {}
    total = 0
    for value in numbers:
        total += seen.get(target - value, 0)
        seen[value] = seen.get(value, 0) + 1
    return total

numbers = [int(x) for x in sys.stdin.readline().split()]
target = int(sys.stdin.readline())
print(count_pairs(numbers, target))
`

/** Right answers to Scored. The first two are copies: other names, and a line above. */
export const pairPrograms = {
  original: counting,
  copied: `# My own work!\n${counting.replaceAll('seen', 'known').replaceAll('total', 'result').replaceAll('value', 'v')}`,
  byIndex: `line = input().split()
wanted = int(input())
found = 0
i = 0
while i < len(line):
    j = i + 1
    while j < len(line):
        if int(line[i]) + int(line[j]) == wanted:
            found = found + 1
        j = j + 1
    i = i + 1
print(found)
`,
  byCombinations: `from itertools import combinations
*numbers, wanted = map(int, open(0).read().split())
print(sum(a + b == wanted for a, b in combinations(numbers, 2)))
`,
}
