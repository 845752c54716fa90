/** One box from its start to its end: born with what it needs and no more, its output taken as it comes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WatchedBox, watchBox } from './box-watch.ts'
import type { Group } from './cgroups/group.ts'
import { type BoxOutcome, type BoxProgram, SandboxFailure } from './sandbox.ts'

export const stderrBytes = 64 * 1024
export type BoxStart = {
  readonly bwrap: string
  readonly words: (doorCount: number) => readonly string[]
  readonly program: BoxProgram
  /** Two pipes of ours by name: the program's output and its stderr. */
  readonly pipes: readonly [string, string]
  readonly filterPath: string
  readonly makeGroup: () => Group
  readonly cores: number
}

export async function runBox(start: BoxStart): Promise<Omit<BoxOutcome, 'hadCompany'>> {
  const group = start.makeGroup()
  try {
    return await runIn(group, start)
  } finally {
    // Off the run's own time; what can't be removed is swept at the next start.
    setImmediate(() => {
      group.kill()
      group.remove().catch(() => undefined)
    })
  }
}

async function runIn(group: Group, start: BoxStart): Promise<Omit<BoxOutcome, 'hadCompany'>> {
  const { program } = start
  const output = openPipe(start.pipes[0])
  const errors = openPipe(start.pipes[1])
  const box = watchBox(launch(start, group, output.writeEnd, errors.writeEnd), start, group)
  try {
    const [outputBytes, stderr] = await Promise.all([
      drainOutput(output.stream, program, box),
      drainErrors(errors.stream, box),
      box.ended,
    ])
    await waitUntilEmpty(group)
    return { ...box.measure(stderr), outputBytes, stderr }
  } finally {
    box.stop('abort')
    await box.ended
    output.stream.destroy()
    errors.stream.destroy()
  }
}

/** Opens what the box is to be born with, and closes our own ends of it at once. */
function launch(start: BoxStart, group: Group, output: number, errors: number): ChildProcess {
  const filter = openSync(start.filterPath, constants.O_RDONLY)
  const doors = group.doors.map((door) => openSync(door, constants.O_WRONLY))
  try {
    return spawn(start.bwrap, start.words(doors.length), {
      env: { ...start.program.environment },
      stdio: ['ignore', output, errors, 'pipe', filter, ...doors],
    })
  } finally {
    for (const descriptor of [output, errors, filter, ...doors]) closeSync(descriptor)
  }
}

/**
 * A named pipe, since programs open /dev/stdout by name, which the socket that Node would use refuses. The box may write to
 * it again that way and no more: a compiler told to include what it says would wait for it. An ordinary user's box could
 * have changed the pipe's mode, for its files are that user's.
 */
function openPipe(path: string): { stream: Socket; writeEnd: number } {
  chmodSync(path, 0o600)
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeEnd = openSync(path, constants.O_WRONLY)
  chmodSync(path, 0o222)
  return { stream: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd }
}

function drainOutput(stream: Socket, program: BoxProgram, box: WatchedBox): Promise<number> {
  let size = 0
  return drain(stream, (chunk) => {
    size += chunk.length
    box.took(chunk.length)
    if (size > program.limits.outputBytes) box.stop('output')
    else program.onOutput(chunk)
  }).then(() => size)
}

function drainErrors(stream: Socket, box: WatchedBox): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return drain(stream, (chunk) => {
    box.took(chunk.length)
    if (size < stderrBytes) chunks.push(Buffer.from(chunk.subarray(0, stderrBytes - size)))
    size += chunk.length
  }).then(() => Buffer.concat(chunks))
}

/** Resolves when nobody holds the other end any more. */
function drain(stream: Socket, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      try {
        take(chunk)
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
    stream.on('error', reject)
    stream.on('close', () => resolve())
  })
}

async function waitUntilEmpty(group: Group): Promise<void> {
  for (let attempt = 0; !group.isEmpty(); attempt++) {
    if (attempt === 1000) throw new SandboxFailure('Processes of a box did not end.')
    if (attempt % 100 === 99) group.kill()
    await sleep(1)
  }
}
