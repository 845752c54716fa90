/** Runs one box from its start to its end: it inherits what it needs and no more, and its output is read as it arrives. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Group } from '../cgroups/group.ts'
import { type BoxOutcome, type BoxProgram, SandboxFailure } from '../sandbox.ts'
import { processOf } from './box-process.ts'
import { type WatchedBox, watchBox } from './box-watch.ts'

export const stderrBytes = 64 * 1024
export type BoxStart = {
  readonly bwrap: string
  readonly words: (entryFileCount: number) => readonly string[]
  readonly program: BoxProgram
  /** The path of a new named pipe: one is for the program's output and one for its stderr. */
  readonly drawPipe: () => string
  readonly filterPath: string
  readonly makeGroup: () => Group
  readonly cores: number
  /** Descriptors that it inherits as its input and its output, where it talks to another box. They are closed here. */
  readonly joined?: { readonly input: number; readonly output: number }
}

export type StartedBox = {
  readonly box: WatchedBox
  readonly outcome: Promise<Omit<BoxOutcome, 'ranConcurrently'>>
}

export const runBox = (start: BoxStart): StartedBox['outcome'] => startBox(start).outcome

export function startBox(start: BoxStart): StartedBox {
  const { program } = start
  const { group, output, errors } = openParts(start)
  const box = watchBox(processOf(launch(start, group, output.writeEnd, errors.writeEnd)), start, group)
  const outcome = finishRun(box, program, group, [output.stream, errors.stream])
  return { box, outcome: outcome.finally(() => removeSoon(group)) }
}

/** This does not delay the result; what can't be removed is removed at the next start. */
export function removeSoon(group: Group): void {
  setImmediate(() => {
    group.kill()
    group.remove().catch(() => undefined)
  })
}

/** Reads what it writes, waits for its end and measures it. `explain`: why a box could not be made, if its stderr does not say. */
export async function finishRun(
  box: WatchedBox,
  program: BoxProgram,
  group: Group,
  [output, errors]: readonly [Socket | null, Socket],
  explain = () => '',
): StartedBox['outcome'] {
  try {
    const [outputBytes, stderr] = await Promise.all([
      output ? drainOutput(output, program, box) : 0,
      drainErrors(errors),
      box.ended,
    ])
    await waitUntilEmpty(group)
    return { ...box.measure(stderr.length > 0 ? stderr : Buffer.from(explain())), outputBytes, stderr }
  } finally {
    box.stop('abort')
    await box.ended
    output?.destroy()
    errors.destroy()
  }
}

function openParts({ makeGroup, drawPipe, joined }: BoxStart) {
  try {
    const group = makeGroup()
    return { group, output: openUnnamed(drawPipe()), errors: openUnnamed(drawPipe()) }
  } catch (error) {
    if (joined) for (const descriptor of Object.values(joined)) closeSync(descriptor)
    throw error
  }
}

/** Opens the descriptors that the box inherits, and closes them in this process at once. */
function launch({ joined, ...start }: BoxStart, group: Group, output: number, errors: number): ChildProcess {
  const filter = openSync(start.filterPath, constants.O_RDONLY)
  const entryFiles = group.entryFiles.map((entryFile) => openSync(entryFile, constants.O_WRONLY))
  const inherited = [output, errors, filter, ...entryFiles, ...(joined ? [joined.input, joined.output] : [])]
  try {
    return spawn(start.bwrap, start.words(entryFiles.length), {
      env: { ...start.program.environment },
      stdio: [
        ...([joined?.input ?? 'ignore', output, errors, 'pipe', filter] as const),
        ...entryFiles,
        ...(joined ? [joined.output] : []),
      ],
    })
  } finally {
    for (const descriptor of inherited) closeSync(descriptor)
  }
}

export type OpenPipe = { readonly stream: Socket; readonly writeEnd: number }

/**
 * Opens a named pipe, since programs open /dev/stdout by name, which fails for the socket that Node would use. Opened by
 * name, the box may only write to it: a compiler told to include its own output would wait for itself. Each run has new ones,
 * since a pipe's times and its size would tell of the run before.
 */
export function openPipe(path: string): OpenPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeEnd = openSync(path, constants.O_WRONLY)
  chmodSync(path, 0o222)
  return { stream: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd }
}

/** For a box that inherits it, no other needs its name. */
function openUnnamed(path: string): OpenPipe {
  const pipe = openPipe(path)
  unlinkSync(path)
  return pipe
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
