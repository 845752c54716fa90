/** Rulings: the meaning of a checker's end, in the two conventions for checkers. The functions are pure. */
import type { BoxOutcome } from '../sandboxes/sandbox.ts'
import type { Feedback } from './feedback.ts'
import { uncaughtExitCode } from './python-front.ts'

export type CheckerConvention = 'kattis' | 'testlib'

/** Points, or a share of the test's maximum, as the checker wrote it. */
export type GivenScore = { readonly kind: 'points' | 'multiplier'; readonly text: string }

export type Ruling = {
  /** `overtime`: stopped by the clock; in an interaction only the program can be the cause. */
  readonly verdict: 'accepted' | 'refused' | 'fault' | 'overtime'
  readonly score: GivenScore | null
  /** The reason of a fault. */
  readonly reason: string
  /** For the jury, and for the author of the submission. */
  readonly judgeMessage: string
  readonly teamMessage: string
}

type End = Pick<BoxOutcome, 'exitCode' | 'signal' | 'stopped' | 'isOutOfMemory' | 'stderr'>

export function ruleBy(kind: CheckerConvention, end: End, feedback: Feedback | null, language: string): Ruling {
  const text = (name: string) => textOf(feedback?.files.get(name))
  const said = textOf(end.stderr)
  const messages = {
    judgeMessage: kind === 'kattis' ? text('judgemessage.txt') : said,
    teamMessage: text('teammessage.txt'),
  }
  const none = { score: null, reason: '', ...messages }
  // A checker of the kattis kind has no messages on stderr, but the author needs it to repair a fault.
  const judgeMessage = kind === 'kattis' ? [messages.judgeMessage, said].filter(Boolean).join('\n') : said
  const fault = (reason: string): Ruling => ({ ...none, judgeMessage, verdict: 'fault', reason })

  if (end.stopped === 'wall') return { ...none, verdict: 'overtime', reason: 'It took too long.' }
  const limit = end.isOutOfMemory ? 'memory' : end.stopped
  if (limit !== null) return fault(limits[limit] ?? `It was stopped: ${limit}.`)
  if (feedback === null) return fault('Its feedback folder could not be read.')
  if (end.exitCode === null) return fault(`It ended by ${end.signal ?? 'a signal'}${quoteFirstLine(said)}.`)
  const meaning = meanings[kind][end.exitCode]
  const exception = findException(language, end.exitCode, said)
  if (exception !== null) return fault(`It ended by an uncaught exception: ${exception}`)
  if (!meaning) return fault(`It ended with exit code ${end.exitCode}${quoteFirstLine(said)}.`)
  const score = kind === 'kattis' ? readKattisScore(text, feedback) : readTestlibScore(end, said)
  if (score === 'both') return fault('It wrote both score.txt and score_multiplier.txt.')
  if (score === 'odd') return fault('Its score.txt or score_multiplier.txt is a link, a pipe or a folder.')
  if (score === 'none')
    return fault(
      'It ended with exit code 7, and its stderr does not begin with "points" or "points_info" and a number.',
    )
  if (score !== null && meaning === 'refused') return fault('It refused, and gave a score.')
  if (feedback.odd.has('nextpass.in')) return fault('Its nextpass.in is a link, a pipe or a folder.')
  // Another pass follows exit code 42, which only the kattis kind has.
  if (feedback.files.has('nextpass.in') && kind !== 'kattis')
    return fault('It wrote nextpass.in, and only a checker of the kattis kind may ask for a further pass.')
  if (feedback.files.has('nextpass.in') && meaning !== 'accepted')
    return fault('It wrote nextpass.in, and did not accept.')
  return { ...none, verdict: meaning, score }
}

/** Whether the program may go on after its partner ended with this code. */
export const isAcceptance = (kind: CheckerConvention, exitCode: number | null): boolean =>
  exitCode !== null && meanings[kind][exitCode] === 'accepted'

const meanings: Record<CheckerConvention, Record<number, 'accepted' | 'refused'>> = {
  kattis: { 42: 'accepted', 43: 'refused' },
  testlib: { 0: 'accepted', 7: 'accepted', 1: 'refused', 2: 'refused', 4: 'refused', 8: 'refused' },
}

const limits: Record<string, string> = {
  cpu: 'It used more than its 60 s of processor time.',
  memory: 'It used more than its 2 GiB of memory.',
  output: 'It wrote too many files to its feedback folder.',
}

function readKattisScore(text: (name: string) => string, { files, odd }: Feedback): GivenScore | 'both' | 'odd' | null {
  if (odd.has('score.txt') || odd.has('score_multiplier.txt')) return 'odd'
  const [points, multiplier] = [files.has('score.txt'), files.has('score_multiplier.txt')]
  if (points && multiplier) return 'both'
  if (points) return { kind: 'points', text: text('score.txt').trim() }
  return multiplier ? { kind: 'multiplier', text: text('score_multiplier.txt').trim() } : null
}

/**
 * testlib's quitp writes `points` and a number, its quitpi `points points_info=` and a number, perhaps followed by
 * words. A message of over 32,000 characters, which begins with the number, is preceded by a notice that it is cut.
 */
const pointsForm =
  /^(?:points\s+(?:message length exceeds \d+, the message is truncated: )?(?:points_info[=\s]\s*)?|points_info[=\s]\s*)(\S+)/

function readTestlibScore({ exitCode }: End, said: string): GivenScore | 'none' | null {
  if (exitCode !== 7) return null
  const match = pointsForm.exec(said)
  return match ? { kind: 'points', text: match[1]! } : 'none'
}

/**
 * The line with the exception. Java exits with 1 after one, which is a verdict of testlib's: the first line on stderr tells
 * them apart, since what a checker quotes comes after words of its own.
 */
function findException(language: string, exitCode: number | null, said: string): string | null {
  const lines = said.split('\n').filter((line) => line.trim() !== '')
  const [first = '', last = ''] = [lines[0], lines.at(-1)]
  if (language === 'python' && exitCode === uncaughtExitCode) return last.trim().slice(0, lineLength)
  const isJava = language === 'java' && exitCode === 1 && first.startsWith('Exception in thread "')
  return isJava ? first.slice(0, lineLength) : null
}

const lineLength = 200

function quoteFirstLine(said: string): string {
  const line = said.split('\n').find((each) => each.trim() !== '')
  return line === undefined ? '' : `: ${line.trim().slice(0, lineLength)}`
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('utf8')
