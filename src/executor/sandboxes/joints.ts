/** Joints: the two pipes of a slot over which two boxes talk, made when a pair first needs them and kept for the next. */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import { findOnPath } from './machine.ts'
import { SandboxFailure } from './sandbox.ts'
import type { StateFolder } from './state-folder.ts'

export type Joint = {
  /** Descriptors for a box to inherit. */
  openReadEnd(): number
  openWriteEnd(): number
  /** Takes away what nobody reads any more, until everyone who writes has ended. */
  drain(): Socket
}

export type Joints = {
  /** The pipe from the program to its partner, and the one back, both empty. */
  open(): { readonly toPartner: Joint; readonly toProgram: Joint }
  close(): void
}

/** The most that the kernel gives anyone. */
const pipeBytes = 1024 * 1024
const setPipeSize = 1031 // F_SETPIPE_SZ

export function makeJoints(state: StateFolder): Joints {
  let kept: { path: string; readEnd: number }[] | null = null

  const make = () => {
    const paths = state.makePipes(2)
    return paths.map((path) => {
      chmodSync(path, 0o666)
      // While one end is open the pipe keeps its size, and a program that writes to it has a reader.
      const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      enlarge(readEnd)
      return { path, readEnd }
    })
  }
  return {
    open() {
      kept ??= make()
      for (const { path, readEnd } of kept) {
        chmodSync(path, 0o666)
        empty(readEnd)
      }
      const [toPartner, toProgram] = kept.map(({ path }) => makeJoint(path)) as [Joint, Joint]
      return { toPartner, toProgram }
    },
    close() {
      for (const { readEnd } of kept ?? []) closeSync(readEnd)
      kept = null
    },
  }
}

/** Each end is opened anew, so that what one box does with its own (non-blocking reads, say) is its own affair. */
const makeJoint = (path: string): Joint => ({
  openReadEnd: () => {
    // To open a pipe to read waits for a writer; whoever is there may leave at once.
    const writeEnd = openSync(path, constants.O_WRONLY)
    try {
      return openSync(path, constants.O_RDONLY)
    } finally {
      closeSync(writeEnd)
    }
  },
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

function empty(readEnd: number): void {
  const buffer = Buffer.allocUnsafe(64 * 1024)
  while (readOrNothing(readEnd, buffer) > 0);
}

function readOrNothing(readEnd: number, buffer: Buffer): number {
  try {
    return readSync(readEnd, buffer)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    throw new SandboxFailure('A process of an earlier pair still writes.')
  }
}

/** Node has no call for it, so a program that has is asked: a larger pipe, where there is none, is done without. */
function enlarge(descriptor: number): void {
  const commands: [string, ...string[]][] = [
    ['pipesz', '--set', String(pipeBytes), '--fd', '0'],
    ['perl', '-e', `fcntl(STDIN, ${setPipeSize}, ${pipeBytes}) or exit 1`],
    ['python3', '-c', `import fcntl; fcntl.fcntl(0, ${setPipeSize}, ${pipeBytes})`],
  ]
  for (const [name, ...words] of commands) {
    const path = findOnPath(name)
    if (path && spawnSync(path, words, { stdio: [descriptor, 'ignore', 'ignore'] }).status === 0) return
  }
}
