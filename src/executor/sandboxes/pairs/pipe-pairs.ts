/** Pipe pairs: the two pipes over which two boxes talk, new for each pair. */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { findOnPath } from '../machine.ts'

export type SharedPipe = {
  readonly path: string
  openWriteEnd(): number
  /** Discards what nobody reads any more, until all writers have ended. */
  drain(): Socket
}

export type PipePair = {
  /** From the program to its partner. */
  readonly toPartner: SharedPipe
  readonly toProgram: SharedPipe
  close(): void
}

export type PipePairs = {
  /** Two unused pipes: an earlier pair may have changed its own, for example their size. */
  open(): PipePair
  close(): void
}

/** The most that the kernel allows without privileges. */
const pipeBytes = 1024 * 1024
const setPipeSize = 1031 // F_SETPIPE_SZ
/** A helper program enlarges this many pipes at a time. */
const pipesAtOnce = 8

type Pipe = { readonly path: string; readonly readEnd: number }

export function makePipePairs(takePipe: () => string): PipePairs {
  let unused: Pipe[] = []

  const make = (): Pipe[] => {
    const pipes = Array.from({ length: pipesAtOnce }, () => {
      const path = takePipe()
      // While one end is open the pipe keeps its size, and a writer has a reader.
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
      // This sets the change time that the box sees.
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

/**
 * Each end is opened anew by path, so that flags which one box sets on its own (such as non-blocking reads) do not
 * affect others.
 */
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

/** Node has no call for it, so a helper program is used; without one, the pipes keep their size. */
function enlarge(descriptors: readonly number[]): void {
  // In the helper they are standard input, and descriptors from 3 on.
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
