/** The process of bubblewrap: its inputs, and the channel on which the launch script reports. */
import { chmodSync, closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import type { BoxStarter, Opening } from './box-starter.ts'
import type { BoxProcess } from './box-watch.ts'

export type ProcessStart = {
  readonly starter: BoxStarter
  readonly bwrap: string
  readonly words: readonly string[]
  /** The path of a new named pipe. */
  readonly takePipe: () => string
  readonly filterPath: string
  readonly entryFiles: readonly string[]
  readonly input: Opening
  readonly output: Opening
  readonly errors: Opening
}

export type StartedProcess = BoxProcess & {
  /** Resolves when the box has opened everything it was given, or is gone. */
  readonly opened: Promise<void>
}

export function startProcess(start: ProcessStart): StartedProcess {
  const control = openPipe(start.takePipe(), 0o200)
  const box = dropIfItFails([control], () => order(start, control.path))
  const opened = Promise.withResolvers<void>()
  const closed = new Promise<void>((resolve) => control.stream.on('close', () => resolve()))
  control.stream.on('error', () => undefined)
  void opened.promise.then(control.forget)
  return {
    listen(take) {
      control.stream.on('data', (chunk: Buffer) => {
        opened.resolve()
        take(chunk.toString())
      })
    },
    findFirst: box.findFirst,
    opened: opened.promise,
    ended: box.ended.then(async (error) => {
      opened.resolve()
      // Its last report may not be read yet.
      await closed
      return error
    }),
  }
}

const order = ({ starter, bwrap, words, ...start }: ProcessStart, controlPath: string) =>
  starter.start({
    words: [bwrap, ...words],
    descriptors: [
      ...[start.input, start.output, start.errors, { write: controlPath }, { read: start.filterPath }],
      ...start.entryFiles.map((path) => ({ write: path })),
    ],
  })

export type OpenPipe = {
  readonly path: string
  readonly stream: Socket
  readonly writeEnd: number
  /** Closes this process's write end, which keeps the pipe from reading as ended before the box has its own. */
  closeOwnEnd(): void
  /** The same for a pipe that will not be opened again: also deletes its name. */
  forget(): void
  /** Closes both ends and deletes the name. */
  drop(): void
}

/** Closes what was opened if the start fails: the machine may be short of descriptors. */
export function dropIfItFails<T>(opened: readonly { drop(): void }[], begin: () => T): T {
  try {
    return begin()
  } catch (error) {
    for (const each of opened) each.drop()
    throw error
  }
}

/**
 * Opens a named pipe, since programs open /dev/stdout by name, which fails for the socket that Node would use. By its
 * name the box may only write to it: a compiler told to include its own output would wait for itself. Each run gets new
 * pipes, since a pipe's times and size would reveal the run before.
 */
export function openPipe(path: string, mode = 0o222): OpenPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeEnd = dropIfItFails([{ drop: () => closeSync(readEnd) }], () => openSync(path, constants.O_WRONLY))
  chmodSync(path, mode)
  let isOpen = true
  const closeOwnEnd = () => {
    if (isOpen) closeSync(writeEnd)
    isOpen = false
  }
  const stream = new Socket({ fd: readEnd, readable: true, writable: false })
  const forget = () => {
    closeOwnEnd()
    unlinkSync(path)
  }
  return {
    ...{ path, stream, writeEnd, closeOwnEnd, forget },
    drop() {
      forget()
      stream.destroy()
    },
  }
}
