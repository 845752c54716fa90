/** `problem judging PROBLEM [--set FILE]`: shows a problem's judging and its tests', or sets it from a JSON file. */
import { OperatorError } from '../../lib/failure.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { type DescribedJudging, type Group, readJudgingFile, type Test } from '../judge/judging-file.ts'
import { chooseProblem } from '../judge/problem-choice.ts'
import { type JudgeServer, judgeOf } from '../judge/server.ts'

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
    'Earlier results stay until the submissions are rejudged (rejudge_problem).',
  ],
  async run({ words: [word = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const given = options.set === undefined ? undefined : await readJudgingFile(options.set)
    const { UUID, DisplayName } = await chooseProblem(judge, word, false)
    if (!given) {
      process.stdout.write(`${JSON.stringify(await readAll(judge, UUID), null, 2)}\n`)
      return
    }
    const testCount = await setAll(judge, UUID, given)
    process.stdout.write(`${DisplayName} is judged as ${options.set} says, and ${testCount} of its tests.\n`)
  },
})

async function readAll(judge: JudgeServer, UUID: string): Promise<Required<DescribedJudging>> {
  const { Judging } = await judge.call('get_problem_judging', { UUID })
  return { Judging, TestCaseJudgingList: await listTests(judge, UUID) }
}

/** With positions and names, which say more than a UUID. */
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

/** A group that tests leave is removed only after they have left it. */
async function setAll(
  judge: JudgeServer,
  UUID: string,
  { Judging, TestCaseJudgingList: tests = [] }: DescribedJudging,
) {
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
