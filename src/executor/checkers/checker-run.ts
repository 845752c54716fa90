/** Runs a checker in a box of its own, which shows it one test and takes bytes from it, nothing else. */
import { basename, dirname } from 'node:path'
import { groupWord } from '../../lib/judging-rules/checker-arguments.ts'
import type { BoxLimits, BoxOutcome, BoxProgram, KeptFile, RunOptions, Sandbox } from '../sandboxes/sandbox.ts'
import { type CheckerProgram, checkerMemoryBytes } from './checker-program.ts'
import {
  type Feedback,
  feedbackBytes,
  feedbackFolder,
  handOutBytes,
  interactorOutput,
  readFeedback,
  requestFeedback,
} from './feedback.ts'
import { type CheckerConvention, type Ruling, ruleBy } from './ruling.ts'

export type CheckerCall = {
  readonly kind: CheckerConvention
  readonly program: CheckerProgram
  readonly inputPath: string
  readonly answerPath: string
  readonly arguments: readonly string[]
  readonly group: string
  /** Whether a further pass may follow: then the folder leaves as a whole. */
  readonly isMultiPass: boolean
  /** The folder as the pass before left it. */
  readonly feedbackBefore: KeptFile | null
}

export type CheckerEnd = { readonly ruling: Ruling; readonly feedback: Feedback | null }

export type CheckerNeeds = {
  readonly sandbox: Sandbox
  readonly owner?: RunOptions['owner']
  readonly signal: AbortSignal
  /** The submission's: a checker's box is kept for the tests of one submission alone. */
  readonly program: Pick<KeptFile, 'path'>
  /** Lower ones than a checker has, for tests. */
  readonly checkerLimits?: Partial<BoxLimits>
}

export const checkerLimits = {
  cpuMs: 60_000,
  wallMs: 121_000,
  memoryBytes: checkerMemoryBytes,
  outputBytes: handOutBytes,
  folderBytes: feedbackBytes,
  processes: 128,
}

const paths = {
  input: '/judge/input',
  answer: '/judge/answer',
  output: '/judge/output',
  archive: '/judge/feedback.tar',
}

/** Lets a checker judge a whole output. Answers null when it was aborted. */
export async function runChecker(needs: CheckerNeeds, call: CheckerCall, output: KeptFile): Promise<CheckerEnd | null> {
  const { kind } = call
  const words = kind === 'kattis' ? kattisWords(call) : testlibWords(call)
  const { box, read } = describeCheckerBox(needs, call, words)
  const shown =
    kind === 'kattis'
      ? { input: output.path }
      : { testFiles: [...box.testFiles!, { from: output.path, name: basename(paths.output) }] }
  const outcome = await needs.sandbox.run({ ...box, ...shown }, { owner: needs.owner, isChecker: true })
  return read(outcome)
}

/** A checker that talks to the program: the output is what it reads. */
export const describeKattisPartner = (needs: CheckerNeeds, call: CheckerCall) =>
  describeCheckerBox(needs, call, kattisWords(call))

/** An interactor: it talks to the program and writes what the checker then judges. */
export const describeInteractor = (needs: CheckerNeeds, call: CheckerCall) =>
  describeCheckerBox(needs, call, [paths.input, `${feedbackFolder}/${interactorOutput}`, paths.answer])

/** Many a testlib.h refuses whatever stands before the three files, or after them: arguments are the setter's choice. */
const testlibWords = ({ arguments: list, group }: CheckerCall) => [
  ...[paths.input, paths.output, paths.answer],
  ...list.map((word) => (word === groupWord ? group : word)),
]

const kattisWords = (call: CheckerCall) => [paths.input, paths.answer, `${feedbackFolder}/`, ...call.arguments]

export type DescribedChecker = {
  readonly box: BoxProgram
  /** Reads what it said and wrote; null when it was aborted. */
  read(outcome: BoxOutcome): CheckerEnd | null
}

function describeCheckerBox(needs: CheckerNeeds, call: CheckerCall, words: readonly string[]): DescribedChecker {
  const { program, feedbackBefore, isMultiPass } = call
  const chunks: Uint8Array[] = []
  const command = [...program.command, ...words]
  const box: BoxProgram = {
    command: feedbackBefore ? ['/bin/sh', '-c', unpack, 'sh', ...command] : command,
    environment: program.environment,
    view: program.view,
    folders: program.folders,
    files: program.files,
    testFiles: [
      { from: call.inputPath, name: basename(paths.input) },
      { from: call.answerPath, name: basename(paths.answer) },
      ...(feedbackBefore ? [{ from: feedbackBefore.path, name: basename(paths.archive) }] : []),
    ],
    keptFor: needs.program.path,
    limits: { ...checkerLimits, ...needs.checkerLimits },
    handOut: requestFeedback({ archive: isMultiPass, isRestored: feedbackBefore !== null }),
    onOutput: (chunk) => void chunks.push(Buffer.from(chunk)),
    signal: needs.signal,
  }
  return {
    box,
    read(outcome) {
      if (outcome.stopped === 'abort') return null
      const feedback = readFeedback(Buffer.concat(chunks))
      return { ruling: ruleBy(call.kind, outcome, feedback), feedback }
    },
  }
}

/** What the pass before wrote is there again, but for the input that it made. */
const unpack = `tar -xf ${paths.archive} -C ${dirname(feedbackFolder)} && rm -rf ${feedbackFolder}/nextpass.in && exec "$@"`
