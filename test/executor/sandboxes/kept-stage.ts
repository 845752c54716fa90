/** A sandbox of one slot, and a C program that is run in boxes that are kept: alone, or in talk with itself as the checker. */
import { after, before } from 'node:test'
import { type Bubblewrap, type BubblewrapOptions, makeBubblewrap } from '../../../src/executor/sandboxes/bubblewrap.ts'
import type { BoxProgram, KeptFile } from '../../../src/executor/sandboxes/sandbox.ts'
import { skipWithoutCgroup } from '../../support/cgroup.ts'
import { compileC } from './compile-c.ts'

export const skipWithoutKeptBoxes = skipWithoutCgroup || (process.getuid?.() !== 0 && 'this needs root')

const sizes = { memoryBytes: 64 << 20, outputBytes: 32 << 20, folderBytes: 1 << 20 }
const limits = { ...sizes, cpuMs: 2_000, wallMs: 5_000, processes: 32 }

export type Talk = {
  /** What the checker finds in its test. */
  readonly words: string
  readonly names: readonly string[]
  readonly keptFor?: string
  readonly mayGoOn?: (exitCode: number | null) => boolean
}

/** For the suite that it is called in. */
export function useKeptStage(source: string, options: BubblewrapOptions = {}) {
  let sandbox: Bubblewrap
  let program: KeptFile
  before(async () => {
    sandbox = makeBubblewrap({ slotCount: 1, ...options })
    program = await compileC(sandbox, source)
  })
  after(() => sandbox.close())

  const box = (): BoxProgram => ({
    ...{ command: ['/program/program'], environment: {}, folders: [], limits, onOutput: () => undefined },
    files: [{ from: program.path, at: '/program/program' }],
  })
  return {
    sandbox: () => sandbox,
    box,
    /** One test; `handedOut` is what the checker left in its folder of feedback. */
    async talk({ words, names, keptFor = 'one', mayGoOn = () => true }: Talk) {
      const test = await sandbox.keep(Buffer.from(words))
      let handedOut = ''
      try {
        const outcome = await sandbox.runPair({
          program: box(),
          partner: {
            ...{ ...box(), keptFor, command: ['/program/program', 'partner'] },
            testFiles: [{ from: test.path, name: 'input' }],
            handOut: {
              folder: '/box/feedback',
              files: names.map((name) => ({ name, mostBytes: 65_536 })),
              archive: false,
            },
            onOutput: (chunk) => {
              handedOut += Buffer.from(chunk).toString()
            },
          },
          mayGoOn,
        })
        return { ...outcome, handedOut }
      } finally {
        test.drop()
      }
    },
  }
}

export const textOf = ({ stderr }: { stderr: Uint8Array }): string => Buffer.from(stderr).toString()
