/** PipePairs: the two pipes over which two boxes talk, made for each pair. */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { findOnPath } from '../machine.ts'

export type SharedPipe = {
  readonly path: string
  openWriteEnd(): number
  /** Takes away what nobody reads any more, until everyone who writes has ended. */
  drain(): Socket
}

export type PipePair = {
  /** From the program to its partner. */
  readonly toPartner: SharedPipe
  readonly toProgram: SharedPipe
  close(): void
}

export type PipePairs = {
  /** Two pipes that nobody has used: what an earlier pair did to its own, whose size it might have set, is its own affair. */
  open(): PipePair
  close(): void
}

/** The most that the kernel gives anyone. */
const pipeBytes = 1024 * 1024
const setPipeSize = 1031 // F_SETPIPE_SZ
/** They are made larger by a program, which is started once for all of these. */
const pipesAtOnce = 8

type Pipe = { readonly path: string; readonly readEnd: number }

export function makePipePairs(drawPipe: () => string): PipePairs {
  let unused: Pipe[] = []

  const make = (): Pipe[] => {
    const pipes = Array.from({ length: pipesAtOnce }, () => {
      const path = drawPipe()
      // While one end is open the pipe keeps its size, and a program that writes to it has a reader.
      return { path, readEnd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) }
    })
    enlarge(pipes.map(({ readEnd }) => readEnd))
    return pipes
  }
  const drop = (pipes: readonly Pipe[]) => {
    for (const { path, readEnd } of pipes) {
      closeSync(readEnd)
      unlinkSync(path)
    }
  }
  return {
    open() {
      if (unused.length === 0) unused = make()
      const pipes = unused.splice(0, 2)
      // This is the change that its times tell of.
      for (const { path } of pipes) chmodSync(path, 0o666)
      const [toPartner, toProgram] = pipes.map(({ path }) => makeJoint(path)) as [SharedPipe, SharedPipe]
      return { toPartner, toProgram, close: () => drop(pipes) }
    },
    close() {
      drop(unused)
      unused = []
    },
  }
}

/** Each end is opened anew, by the box's path to it, so that what one box does with its own (non-blocking reads, say) is its own affair. */
const makeJoint = (path: string): SharedPipe => ({
  path,
  openWriteEnd: () => openSync(path, constants.O_WRONLY),
  drain() {
    const stream = new Socket({
      fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
      readable: true,
      writable: false,
    })
    stream.on('error', () => undefined)
    return stream.resume()
  },
})

/** Node has no call for it, so a program that has is asked: a larger pipe, where there is none, is done without. */
function enlarge(descriptors: readonly number[]): void {
  // In the program they are its standard input and those from 3 on.
  const numbers = descriptors.map((_, i) => (i === 0 ? 0 : i + 2))
  const each = numbers.join(', ')
  const commands: [string, ...string[]][] = [
    ['pipesz', '--set', String(pipeBytes), ...numbers.flatMap((number) => ['--fd', String(number)])],
    ['perl', '-e', `for (${each}) { open(P, "<&=", $_) && fcntl(P, ${setPipeSize}, ${pipeBytes}) or exit 1 }`],
    ['python3', '-c', `import fcntl\nfor each in (${each}): fcntl.fcntl(each, ${setPipeSize}, ${pipeBytes})`],
  ]
  const [first, ...others] = descriptors
  for (const [name, ...words] of commands) {
    const path = findOnPath(name)
    if (path && spawnSync(path, words, { stdio: [first, 'ignore', 'ignore', ...others] }).status === 0) return
  }
}
