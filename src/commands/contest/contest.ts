/** `contest check | start CONTEST`: reports what is missing before a start, and sets the start. */
import { readTime } from '../../api/contest-api/times.ts'
import { OperatorError } from '../../lib/failure.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { type JudgeServer, judgeOf } from '../judge/server.ts'
import { findMissing, type Missing } from './contest-readiness.ts'

export const contestCheck = defineCommand({
  name: 'contest check',
  summary: 'Says what is missing before a contest can start.',
  words: ['CONTEST'],
  options: remoteOptions,
  notes: [
    'Problems that nobody solved or that stay closed, teams without accounts, languages that no executor has, too few executors.',
    'Exits with 0 if nothing is missing. An admin’s token is needed to count executors.',
  ],
  async run({ words: [id = ''], options, environment }) {
    const missing = await findMissing(judgeOf(options, environment), id)
    write(missing)
    if (missing.faults.length === 0) process.stdout.write(`Nothing is missing: contest start ${id} starts it.\n`)
    return missing.faults.length > 0 ? 1 : 0
  },
})

function write({ faults, notes }: Missing): void {
  for (const fault of faults) process.stdout.write(`✗ ${fault}\n`)
  for (const note of notes) process.stdout.write(`- ${note}\n`)
}

/** A start can't be set less than half a minute ahead; whoever starts by hand needs time to type. */
const soonMs = 60_000

export const contestStart = defineCommand({
  name: 'contest start',
  summary: 'Sets when a contest starts: in a minute unless said.',
  words: ['CONTEST'],
  options: {
    at: { type: 'string', hint: 'TIME', sentence: 'When, as 2026-06-25T10:00:00+02:00.' },
    anyway: { type: 'boolean', sentence: 'Also where contest check says that something is missing.' },
    ...remoteOptions,
  },
  async run({ words: [ID = ''], options: { at, anyway, ...options }, environment }) {
    const judge = judgeOf(options, environment)
    const StartTime = at === undefined ? undefined : readTime(at)
    if (at !== undefined && StartTime === undefined)
      throw new OperatorError(`${at} is not a time: write it as 2026-06-25T10:00:00+02:00.`)
    if (!anyway) {
      const missing = await findMissing(judge, ID)
      if (missing.faults.length > 0) {
        write(missing)
        process.stdout.write('The contest was not started: fix this, or add --anyway.\n')
        return 1
      }
    }
    await setStart(judge, ID, StartTime ?? Date.now() + soonMs)
    return 0
  },
})

async function setStart({ call }: JudgeServer, ID: string, StartTime: number): Promise<void> {
  const { Contest } = await call('update_contest', { ID, StartTime, CountdownPause: null })
  process.stdout.write(`${Contest.Name} starts at ${new Date(Contest.StartTime).toISOString()}.\n`)
}
