/** `problem judging PROBLEM [--set FILE]`: shows how a problem and its tests are judged, or sets it from a JSON file. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from '../base/failure.ts'
import { defineCommand } from './command.ts'
import { chooseProblem } from './judge/problem-choice.ts'
import { type JudgeServer, judgeOf } from './judge/server.ts'
import { remoteOptions } from './remote.ts'

/** In the interface's own words; of a program's file, `Path` in place of `Content` names one beside the JSON file. */
type Described = {
  readonly Judging?: Members & { readonly GroupList?: readonly Group[] }
  readonly TestCaseJudgingList?: readonly Test[]
}
type Members = Readonly<Record<string, unknown>>
type Group = Members & { readonly Name: string }
/** `Number`: its place in judging order, from 1, which names it where there is no UUID. */
type Test = Members & { readonly Number?: number; readonly Name?: string; readonly UUID?: string }

const pageSize = 100

export const problemJudging = defineCommand({
  name: 'problem judging',
  summary: 'Shows how a problem and its tests are judged, or sets it from a file: checker, interactor, groups, points.',
  words: ['PROBLEM'],
  options: {
    ...remoteOptions,
    set: {
      type: 'string',
      hint: 'FILE',
      sentence: 'A JSON file as the command shows it; what it lacks stays as it is.',
    },
  },
  notes: [
    'Tests are listed in judging order: Number is a test’s place, and names it in FILE where UUID is left out.',
    'PROBLEM is a UUID or a name. In FILE a program’s file may have Path, beside FILE, in place of Content.',
    'What was judged before stays as it is: rejudge_problem has it judged again.',
  ],
  async run({ words: [word = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const given = options.set === undefined ? undefined : await readDescribed(options.set)
    const { UUID, DisplayName } = await chooseProblem(judge, word, false)
    if (!given) {
      process.stdout.write(`${JSON.stringify(await readAll(judge, UUID), null, 2)}\n`)
      return
    }
    const testCount = await setAll(judge, UUID, given)
    process.stdout.write(`${DisplayName} is judged as ${options.set} says, and ${testCount} of its tests.\n`)
  },
})

async function readAll(judge: JudgeServer, UUID: string): Promise<Required<Described>> {
  const { Judging } = await judge.call('get_problem_judging', { UUID })
  return { Judging, TestCaseJudgingList: await listTests(judge, UUID) }
}

/** By their places and names, which say more than a UUID. */
async function listTests({ call }: JudgeServer, UUID: string): Promise<Test[]> {
  const list: Test[] = []
  for (;;) {
    const params = { ProblemUUID: UUID, Offset: list.length, Limit: pageSize }
    const { TestCaseJudgingList } = await call('get_problem_test_case_judging_list', params)
    for (const { Name, ...test } of TestCaseJudgingList as Test[])
      list.push({ Number: list.length + 1, ...(Name !== undefined && { Name }), ...test })
    if (TestCaseJudgingList.length < pageSize) return list
  }
}

/** Groups that tests leave are taken away after the tests have left them. */
async function setAll(judge: JudgeServer, UUID: string, { Judging, TestCaseJudgingList: tests = [] }: Described) {
  const { call } = judge
  const known = tests.some((test) => test.UUID === undefined) ? await listTests(judge, UUID) : []
  const changes = tests.map(({ Number: number, Name: _, ...test }) => ({
    UUID: nameTest(known, test.UUID, number),
    ...test,
  }))
  const groups = Judging?.GroupList
  const { Judging: before } = await call('get_problem_judging', { UUID })
  const left = (before.GroupList as Group[]).filter(({ Name }) => !groups?.some((one) => one.Name === Name))
  const isMoving = groups !== undefined && tests.length > 0 && left.length > 0
  if (Judging) {
    const first = isMoving ? { ...Judging, GroupList: [...groups, ...left] } : Judging
    await call('update_problem_judging', { UUID, Judging: first })
  }
  for (const change of changes) await call('update_test_case_judging', change)
  if (isMoving) await call('update_problem_judging', { UUID, Judging: { GroupList: groups } })
  return tests.length
}

function nameTest(known: readonly Test[], UUID: string | undefined, number: number | undefined): string {
  const found = UUID ?? known.find((test) => test.Number === number)?.UUID
  if (found !== undefined) return found
  throw new OperatorError(
    `A test of TestCaseJudgingList has no UUID, and there is no test ${number ?? 'without a Number'}.`,
  )
}

async function readDescribed(path: string): Promise<Described> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new OperatorError(`${path} can’t be read (${error.message}).`)
  })
  const described = parse(path, text)
  const { Judging, ...rest } = described
  if (!Judging) return described
  const checker = Judging.Checker as Members | undefined
  return {
    ...rest,
    Judging: {
      ...Judging,
      ...(checker?.Program ? { Checker: { ...checker, Program: await readProgram(path, checker.Program) } } : {}),
      ...(Judging.Interactor ? { Interactor: await readProgram(path, Judging.Interactor) } : {}),
    },
  }
}

function parse(path: string, text: string): Described {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`${path} is not JSON (${(error as Error).message}).`)
  }
  const { Judging, TestCaseJudgingList } = (value ?? {}) as Described
  if (typeof Judging === 'object' || Array.isArray(TestCaseJudgingList)) return value as Described
  throw new OperatorError(
    `${path} must have Judging, TestCaseJudgingList or both: the command shows them without --set.`,
  )
}

async function readProgram(jsonPath: string, program: unknown): Promise<unknown> {
  const { FileList, ...rest } = program as { FileList?: (Members & { Path?: string })[] }
  if (!Array.isArray(FileList)) return program
  const files = FileList.map(async ({ Path, ...file }) => {
    if (Path === undefined) return file
    const content = await readFile(resolve(dirname(jsonPath), Path)).catch((error: Error) => {
      throw new OperatorError(`${jsonPath}: ${Path} can’t be read (${error.message}).`)
    })
    return { ...file, Content: content.toString('base64') }
  })
  return { ...rest, FileList: await Promise.all(files) }
}
