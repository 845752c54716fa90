/** `problems [WORD]`: the problems of a running server, with the caller's result for each. */
import { describeResult } from '../../judge/submissions/status.ts'
import { alignColumns } from '../command-line/columns.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { finished, type SubmissionSnippet } from '../judge/following.ts'
import { listProblems } from '../judge/problem-choice.ts'
import { type JudgeServer, judgeOf } from '../judge/server.ts'
import { describeMemory } from '../judge/verdict.ts'

export const problems = defineCommand({
  name: 'problems',
  summary: 'Lists the problems, and what came of your submissions to each.',
  words: ['[WORD]'],
  options: remoteOptions,
  notes: ['WORD is a part of the names of those that are listed.'],
  async run({ words: [word = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const found = (await listProblems(judge)).filter(({ DisplayName }) =>
      DisplayName.toLowerCase().includes(word.toLowerCase()),
    )
    const best = await findBest(judge)
    const rows = found.map(({ UUID, DisplayName, TimeLimitInMillisecond, MemoryLimitInByte, isHeld }) => [
      isHeld ? `${DisplayName} (held)` : DisplayName,
      best.get(UUID) ?? '-',
      `${TimeLimitInMillisecond} ms`,
      describeMemory(MemoryLimitInByte),
      UUID,
    ])
    process.stdout.write(alignColumns(['PROBLEM', 'YOU', 'TIME', 'MEMORY', 'UUID'], rows))
  },
})

const pageSize = 100
/** The caller's newest submissions that are looked at: nobody should wait for ten thousand. */
const mostSubmissions = 1_000
const accepted = 1

/** By problem: accepted if any was, else the newest result. */
async function findBest({ call }: JudgeServer): Promise<ReadonlyMap<string, string>> {
  const { Account } = await call('get_session', {})
  const best = new Map<string, SubmissionSnippet>()
  for (let Offset = 0; Offset < mostSubmissions; Offset += pageSize) {
    const params = { AccountID: Account.ID, Offset, Limit: pageSize }
    const { SubmissionSnippetList } = await call('get_account_submission_snippet_list', params)
    for (const one of SubmissionSnippetList as SubmissionSnippet[]) {
      const known = best.get(one.Problem.UUID)
      if (!known || (one.Result === accepted && known.Result !== accepted)) best.set(one.Problem.UUID, one)
    }
    if (SubmissionSnippetList.length < pageSize) break
  }
  return new Map([...best].map(([uuid, one]) => [uuid, describeBest(one)]))
}

const describeBest = ({ Status, Result }: SubmissionSnippet): string =>
  Status === finished ? describeResult(Result) : 'not judged yet'
