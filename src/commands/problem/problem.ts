/** `problem import | export | check`: packages to and from a running server, and their own submissions judged. */
import { OperatorError } from '../../lib/failure.ts'
import { describeExpectation } from '../../lib/judging-rules/submission-expectations.ts'
import { plural } from '../../lib/text/plural.ts'
import { alignColumns } from '../command-line/columns.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { writeFileWhole } from '../dataset/output-file.ts'
import { describeBytes } from '../dataset/progress.ts'
import { bringPackage, fetchPackage, listLosses, readPackage } from '../judge/packages.ts'
import { chooseProblem } from '../judge/problem-choice.ts'
import { type JudgeServer, judgeOf } from '../judge/server.ts'
import { makeStyle, type Style } from '../judge/style.ts'
import { type Checked, checkSubmissions } from '../judge/verdict-comparison.ts'

const limitOptions = {
  'time-limit': { type: 'string', hint: 'MS', sentence: 'The time limit in milliseconds, in place of the package’s.' },
  'memory-limit': { type: 'string', hint: 'BYTES', sentence: 'The memory limit in bytes, in place of the package’s.' },
} as const

type Given = { readonly 'time-limit'?: string; readonly 'memory-limit'?: string }

const queryOf = (given: Given, isHeld: boolean): URLSearchParams =>
  new URLSearchParams({
    ...(isHeld && { held: 'true' }),
    ...(given['time-limit'] !== undefined && { timeLimit: given['time-limit'] }),
    ...(given['memory-limit'] !== undefined && { memoryLimit: given['memory-limit'] }),
  })

export const problemImport = defineCommand({
  name: 'problem import',
  summary: 'Brings a Kattis or Polygon package, a folder or a zip, to a server, and lists what is not carried over.',
  words: ['PATH'],
  options: {
    held: { type: 'boolean', sentence: 'Only you and admins see the problem, until it is released.' },
    ...limitOptions,
    ...remoteOptions,
  },
  async run({ words: [path = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const made = await bringPackage(judge, await readPackage(path), queryOf(options, options.held ?? false))
    const { UUID, DisplayName, TestCaseCount, FileCount, NoteList } = made
    process.stdout.write(
      `Problem ${UUID}: ${DisplayName}, ${plural(TestCaseCount, 'test')}, ${plural(FileCount, 'file')} kept.\n`,
    )
    for (const note of NoteList) process.stdout.write(`  - ${note}\n`)
  },
})

export const problemExport = defineCommand({
  name: 'problem export',
  summary: 'Downloads a problem as a Kattis package, and lists what the older format leaves out.',
  words: ['PROBLEM'],
  options: {
    format: { type: 'string', hint: 'FORMAT', sentence: '2025-09 (default) or legacy, which most judges read.' },
    output: { type: 'string', hint: 'FILE', sentence: 'The file to write; named after the problem by default.' },
    ...remoteOptions,
  },
  async run({ words: [word = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const { UUID } = await chooseProblem(judge, word, false)
    const { format = '2025-09' } = options
    const losses = await listLosses(judge, UUID, format)
    const { name, response } = await fetchPackage(judge, UUID, format)
    const path = options.output ?? name
    const bytes = await writeFileWhole(path, async ({ write }) => {
      let size = 0
      for await (const chunk of response.body!) {
        size += chunk.byteLength
        await write(chunk)
      }
      return size
    })
    process.stderr.write(`${describeBytes(bytes)}, in ${path}.\n`)
    for (const loss of losses) process.stderr.write(`  - ${loss}\n`)
  },
})

export const problemCheck = defineCommand({
  name: 'problem check',
  summary: 'Judges a package’s own submissions, and compares each verdict with the folder it lies in.',
  words: ['PATH'],
  options: {
    keep: { type: 'boolean', sentence: 'Keep the unreleased problem and its submissions afterwards.' },
    ...limitOptions,
    ...remoteOptions,
  },
  notes: [
    'PATH is a folder, a zip, or the UUID of a problem of yours. It is judged as a problem that only you and admins see.',
    'Exits with 0 if every submission that could be judged is as expected.',
  ],
  async run({ words: [path = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const style = makeStyle(process.stdout, environment)
    const made = await bringPackage(judge, await readAny(judge, path), queryOf(options, true))
    const remove = () => judge.call('delete_problem', { UUID: made.UUID })
    const leave = () => void remove().finally(() => process.exit(130))
    if (!options.keep) process.once('SIGINT', leave)
    try {
      for (const note of made.NoteList) style.line(style.soft(`- ${note}`))
      const checked = await checkSubmissions(judge, made.UUID, {
        show: (done, total) => style.redraw(style.waiting(`judged ${done} of ${total}`)),
        warn: (sentence) => style.line(style.waiting(sentence)),
      })
      style.line(writeTable(checked, style))
      return checked.some(({ state }) => state === 'not as expected') ? 1 : 0
    } finally {
      process.off('SIGINT', leave)
      if (options.keep) style.line(`Kept as problem ${made.UUID}, held.`)
      else await remove()
    }
  },
})

async function readAny(judge: JudgeServer, path: string): Promise<Buffer> {
  if (!/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(path)) return readPackage(path)
  const { response } = await fetchPackage(judge, path)
  return Buffer.from(await response.arrayBuffer())
}

function writeTable(checked: readonly Checked[], style: Style): string {
  if (checked.length === 0) throw new OperatorError('The package has no submissions to judge.')
  const rows = checked.map(({ path, expected, result, milliseconds, points, state }) => [
    path,
    describeExpectation(expected),
    result,
    milliseconds === undefined ? '-' : `${milliseconds} ms`,
    points === undefined ? '-' : String(points),
    state,
  ])
  const [heads = '', ...lines] = alignColumns(['SUBMISSION', 'EXPECTED', 'RESULT', 'TIME', 'POINTS', ''], rows)
    .trimEnd()
    .split('\n')
  const paint = (line: string, i: number) => {
    const { state } = checked[i]!
    return state === 'as expected' ? style.good(line) : state === 'not judged' ? style.soft(line) : style.bad(line)
  }
  return [style.soft(heads), ...lines.map(paint)].join('\n')
}
