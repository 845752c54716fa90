/** Runs one box from its start to its end: it inherits what it needs and no more, and its output is read as it arrives. */
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
  readonly words: (entryFileCount: number) => readonly string[]
  readonly program: BoxProgram
  /** The paths of two named pipes: for the program's output and its stderr. */
  readonly pipes: readonly [string, string]
  readonly filterPath: string
  readonly makeGroup: () => Group
  readonly cores: number
}

export async function runBox(start: BoxStart): Promise<Omit<BoxOutcome, 'ranConcurrently'>> {
  const group = start.makeGroup()
  try {
    return await runIn(group, start)
  } finally {
    // This does not delay the result; what can't be removed is removed at the next start.
    setImmediate(() => {
      group.kill()
      group.remove().catch(() => undefined)
    })
  }
}

async function runIn(group: Group, start: BoxStart): Promise<Omit<BoxOutcome, 'ranConcurrently'>> {
  const { program } = start
  const output = openPipe(start.pipes[0])
  const errors = openPipe(start.pipes[1])
  const box = watchBox(launch(start, group, output.writeEnd, errors.writeEnd), start, group)
  try {
    const [outputBytes, stderr] = await Promise.all([
      drainOutput(output.stream, program, box),
      drainErrors(errors.stream),
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

/** Opens the descriptors that the box inherits, and closes them in this process at once. */
function launch(start: BoxStart, group: Group, output: number, errors: number): ChildProcess {
  const filter = openSync(start.filterPath, constants.O_RDONLY)
  const entryFiles = group.entryFiles.map((entryFile) => openSync(entryFile, constants.O_WRONLY))
  try {
    return spawn(start.bwrap, start.words(entryFiles.length), {
      env: { ...start.program.environment },
      stdio: ['ignore', output, errors, 'pipe', filter, ...entryFiles],
    })
  } finally {
    for (const descriptor of [output, errors, filter, ...entryFiles]) closeSync(descriptor)
  }
}

/**
 * Opens a named pipe, since programs open /dev/stdout by name, which fails for the socket that Node would use. Opened by
 * name, the box may only write to it: a compiler told to include its own output would wait for itself. The mode is set anew
 * for each run, since without root the box runs as the pipe's owner and could have changed it.
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

/** What it says here takes none of its time away: nothing is done with it beyond the first bytes. */
function drainErrors(stream: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return drain(stream, (chunk) => {
    if (size < stderrBytes) chunks.push(Buffer.from(chunk.subarray(0, stderrBytes - size)))
    size += chunk.length
  }).then(() => Buffer.concat(chunks))
}

/** Resolves when no process holds the other end any more. */
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
