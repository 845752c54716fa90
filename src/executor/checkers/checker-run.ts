/** Runs a checker in a box of its own, which gives it one test and returns only bytes. */
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
  /** Whether another pass may follow: then the whole folder is returned. */
  readonly isMultiPass: boolean
  /** The folder as the previous pass left it. */
  readonly feedbackBefore: KeptFile | null
}

export type CheckerEnd = { readonly ruling: Ruling; readonly feedback: Feedback | null }

export type CheckerNeeds = {
  readonly sandbox: Sandbox
  readonly owner?: RunOptions['owner']
  readonly signal: AbortSignal
  /** The submission's program: a checker's box is reused only for tests of one submission. */
  readonly program: Pick<KeptFile, 'path'>
  /** Lower limits, for tests. */
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

/** Lets a checker judge a whole output. Null if it was aborted. */
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

/** A checker that talks to the program reads the program's output. */
export const describeKattisPartner = (needs: CheckerNeeds, call: CheckerCall) =>
  describeCheckerBox(needs, call, kattisWords(call))

/** An interactor talks to the program, and writes a file that the checker judges. */
export const describeInteractor = (needs: CheckerNeeds, call: CheckerCall) =>
  describeCheckerBox(needs, call, [paths.input, `${feedbackFolder}/${interactorOutput}`, paths.answer])

/**
 * Some versions of testlib.h refuse any argument before or after the three files, so the setter chooses the arguments.
 */
const testlibWords = ({ arguments: list, group }: CheckerCall) => [
  ...[paths.input, paths.output, paths.answer],
  ...list.map((word) => (word === groupWord ? group : word)),
]

const kattisWords = (call: CheckerCall) => [paths.input, paths.answer, `${feedbackFolder}/`, ...call.arguments]

export type DescribedChecker = {
  readonly box: BoxProgram
  /** Reads its messages and files; null if it was aborted. */
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
      return { ruling: ruleBy(call.kind, outcome, feedback, program.language), feedback }
    },
  }
}

/** Restores the folder of the previous pass, except the input that it created. */
const unpack = `tar -xf ${paths.archive} -C ${dirname(feedbackFolder)} && rm -rf ${feedbackFolder}/nextpass.in && exec "$@"`
