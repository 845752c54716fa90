/** `submit FILE`, `status [ID]`: submits a program, and shows its verdict live, test by test. */

import { describeResult } from '../judge/submissions/status.ts'
import { OperatorError } from '../lib/failure.ts'
import { alignColumns, showTime } from './command-line/columns.ts'
import { defineCommand } from './command-line/command.ts'
import { remoteOptions } from './command-line/remote.ts'
import { finished, followSubmission, look, type SubmissionSnippet } from './judge/following.ts'
import { chooseProblem } from './judge/problem-choice.ts'
import { chooseLanguage, readProgram } from './judge/program-file.ts'
import { type JudgeServer, judgeOf } from './judge/server.ts'
import { makeStyle, type Style } from './judge/style.ts'
import { describeProgress, describeReport, describeVerdict } from './judge/verdict.ts'

const accepted = 1
const waitOption = {
  'no-wait': { type: 'boolean', sentence: 'Does not wait for the verdict.' },
} as const
const exitNote = 'Exits with 0 if the program was accepted (or is not judged yet), and with 1 otherwise.'

export const submit = defineCommand({
  name: 'submit',
  summary: 'Submits a program and shows its verdict live, test by test.',
  words: ['FILE'],
  options: {
    problem: {
      type: 'string',
      hint: 'P',
      sentence: 'The problem: its name or a part of it, its UUID or the start of it; else the file’s name.',
    },
    language: { type: 'string', hint: 'L', sentence: 'The language; else by the file’s ending.' },
    ...waitOption,
    ...remoteOptions,
  },
  notes: [exitNote],
  async run({ words: [path = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const style = makeStyle(process.stdout, environment)
    const program = await readProgram(path)
    const problem = await chooseProblem(judge, options.problem ?? program.stem, options.problem === undefined)
    const language = await chooseLanguage(judge, program.extension, options.language)
    const { SubmissionSnippet } = await judge.call('create_submission', {
      ProblemUUID: problem.UUID,
      Content: program.content,
      Language: language.Value,
    })
    style.line(`Submission ${SubmissionSnippet.ID} · ${oneLine(problem.DisplayName)} · ${language.Name}`)
    if (options['no-wait']) return 0
    return showVerdict(judge, SubmissionSnippet.ID, style)
  },
})

export const status = defineCommand({
  name: 'status',
  summary: 'Shows a submission, live until it is judged, or lists your newest ones.',
  words: ['[ID]'],
  options: { ...waitOption, ...remoteOptions },
  notes: [exitNote],
  async run({ words: [word], options, environment }) {
    const judge = judgeOf(options, environment)
    const style = makeStyle(process.stdout, environment)
    if (word === undefined) return listNewest(judge)
    const id = /^\d{1,15}$/.test(word) ? Number(word) : Number.NaN
    if (Number.isNaN(id)) throw new OperatorError(`${word} is not a submission number: status lists yours.`)
    const seen = await look(judge, id)
    const { Problem, Language } = seen.submission
    style.line(`Submission ${id} · ${oneLine(Problem.DisplayName)} · ${Language}`)
    if (options['no-wait'] && seen.submission.Status !== finished) {
      style.line(describeProgress(seen, style))
      return 0
    }
    return showVerdict(judge, id, style)
  },
})

async function showVerdict(judge: JudgeServer, id: number, style: Style): Promise<number> {
  const { submission } = await followSubmission(judge, id, (seen) =>
    style.redraw(describeProgress(seen, style, process.stdout.columns)),
  )
  const { Report } = await judge.call('get_submission_report', { ID: id })
  style.line(describeVerdict(submission, Report, style))
  const found = describeReport(Report, style)
  if (found) style.line(found)
  return submission.Result === accepted ? 0 : 1
}

const newest = 20

async function listNewest({ call }: JudgeServer): Promise<void> {
  const { Account } = await call('get_session', {})
  const params = { AccountID: Account.ID, Offset: 0, Limit: newest }
  const { SubmissionSnippetList } = await call('get_account_submission_snippet_list', params)
  const rows = (SubmissionSnippetList as SubmissionSnippet[]).map((one) => [
    String(one.ID),
    one.Problem.DisplayName,
    one.Language,
    one.Status === finished ? describeResult(one.Result) : 'not judged yet',
    typeof one.Score === 'number' ? String(one.Score) : '-',
    showTime(new Date(one.CreatedTime)),
  ])
  process.stdout.write(alignColumns(['ID', 'PROBLEM', 'LANGUAGE', 'RESULT', 'POINTS', 'HANDED IN'], rows))
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
