/** Runs one box from start to end: it inherits only what it needs, and its output is read as it arrives. */
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Group } from '../cgroups/group.ts'
import { type BoxOutcome, type BoxProgram, SandboxFailure } from '../sandbox.ts'
import { dropIfItFails, openPipe, type ProcessStart, startProcess } from './box-process.ts'
import { type WatchedBox, watchBox } from './box-watch.ts'

export const stderrBytes = 64 * 1024
export type BoxStart = Pick<ProcessStart, 'starter' | 'bwrap' | 'takePipe' | 'filterPath'> & {
  readonly words: (entryFileCount: number, joined: JoinedPipes | undefined) => readonly string[]
  readonly program: BoxProgram
  readonly makeGroup: () => Group
  readonly cores: number
  readonly joined?: JoinedPipes
}

/** The paths of the pipes that are the input and output of a box that talks to another. */
export type JoinedPipes = { readonly input: string; readonly output: string }

export type StartedBox = {
  readonly box: WatchedBox
  readonly outcome: Promise<Omit<BoxOutcome, 'ranConcurrently'>>
}

export const runBox = (start: BoxStart): StartedBox['outcome'] => startBox(start).outcome

export function startBox(start: BoxStart): StartedBox {
  const group = start.makeGroup()
  return dropIfItFails([{ drop: () => removeSoon(group) }], () => startWithin(group, start))
}

function startWithin(group: Group, start: BoxStart): StartedBox {
  const { program, joined } = start
  const output = openPipe(start.takePipe())
  const errors = dropIfItFails([output], () => openPipe(start.takePipe()))
  const { entryFiles } = group
  const bubblewrap = dropIfItFails([output, errors], () =>
    startProcess({
      ...{ ...start, entryFiles, words: start.words(entryFiles.length, joined) },
      input: { read: '/dev/null' },
      output: { write: output.path },
      errors: { write: errors.path },
    }),
  )
  void bubblewrap.opened.then(() => {
    output.forget()
    errors.forget()
  })
  const box = watchBox(bubblewrap, start, group)
  const outcome = finishRun(box, program, group, [output.stream, errors.stream])
  return { box, outcome: outcome.finally(() => removeSoon(group)) }
}

/** Does not delay the result; what can't be removed is removed at the next start. */
export function removeSoon(group: Group): void {
  setImmediate(() => {
    group.kill()
    group.remove().catch(() => undefined)
  })
}

/**
 * Reads its output, waits for its end and measures it. `explain`: why a box could not be created, if its stderr does
 * not say.
 */
export async function finishRun(
  box: WatchedBox,
  program: BoxProgram,
  group: Group,
  [output, errors]: readonly [Socket | null, Socket],
  explain = () => '',
): StartedBox['outcome'] {
  try {
    const over = box.ended.then(() => waitUntilEmpty(group)).then(() => closeRead(output ? [output, errors] : [errors]))
    const [outputBytes, stderr] = await Promise.all([
      output ? drainOutput(output, program, box) : 0,
      drainErrors(errors),
      over,
    ])
    return { ...box.measure(stderr.length > 0 ? stderr : Buffer.from(explain())), outputBytes, stderr }
  } finally {
    box.stop('abort')
    await box.ended
    output?.destroy()
    errors.destroy()
  }
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

/** Discards everything beyond the first bytes, so that stderr costs the program no time. */
function drainErrors(stream: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return drain(stream, (chunk) => {
    if (size < stderrBytes) chunks.push(Buffer.from(chunk.subarray(0, stderrBytes - size)))
    size += chunk.length
  }).then(() => Buffer.concat(chunks))
}

/**
 * Once no process is left, everything written can be read. The other end may still be open: it was sent through nested
 * sockets, which the kernel frees later.
 */
async function closeRead(streams: readonly Socket[]): Promise<void> {
  const countBytes = () => streams.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
  for (let before = -1; before !== countBytes(); ) {
    before = countBytes()
    // Two turns of the event loop poll each stream at least once.
    await turn()
    await turn()
  }
  for (const stream of streams) stream.destroy()
}

/** Resolves when no process holds the other end any more, or nothing more is awaited. */
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

/** Killing a hundred processes with much memory takes seconds in their box's share of the processors. */
const endingMs = 30_000

async function waitUntilEmpty(group: Group): Promise<void> {
  const latest = performance.now() + endingMs
  for (let attempt = 0; !group.isEmpty(); attempt++) {
    if (performance.now() > latest) throw new SandboxFailure('Processes of a box did not end.')
    if (attempt % 100 === 99) group.kill()
    await sleep(1)
  }
}
