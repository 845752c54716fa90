/** One box from its start to its end: held until its limits are on, watched, stopped when over, and measured. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants as osConstants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BoxOutcome, type BoxProgram, SandboxFailure, type StopReason } from '../sandbox.ts'
import { descriptors } from './box-arguments.ts'
import type { Group } from './cgroups/group.ts'
import { listChildren } from './processes.ts'

export const stderrBytes = 64 * 1024
/** What a pipe holds: a program that waits for us has at least that much to give. */
const pipeBytes = 64 * 1024
/** One whose output flows gets the wall clock's time again this often, in steps. */
const patience = 4
const overtimeMs = 250

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
  const box = watch(launch(start, group, output.writeEnd, errors.writeEnd), start, group)
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

type Watched = {
  stop(reason: StopReason): void
  /** So many bytes of its output were taken. */
  took(bytes: number): void
  readonly ended: Promise<void>
  measure(stderr: Uint8Array): Omit<BoxOutcome, 'outputBytes' | 'stderr' | 'hadCompany'>
}

function watch(child: ChildProcess, { program, cores }: BoxStart, group: Group): Watched {
  const control = child.stdio[descriptors.control] as Readable & Writable
  let said = ''
  let startedAt: number | null = null
  let endedAt: number | null = null
  let stopped: StopReason | null = null
  let takenBytes = 0
  let takenBefore = 0
  let timer: NodeJS.Timeout | undefined
  let spawnError: Error | undefined

  const stop = (reason: StopReason) => {
    if (stopped !== null || endedAt !== null) return
    stopped = reason
    endBox()
  }
  // The first process takes its whole pid namespace along, and bubblewrap, which is left to wait for it, ends then.
  // bubblewrap itself is never killed: between its fork and its first words that would leave the first process behind.
  // A box that is not so far yet is ended when it says that it is ready.
  const endBox = () => {
    const firstPid = findFirstProcess(child)
    if (firstPid === null) return
    try {
      process.kill(firstPid, 'SIGKILL')
    } catch {
      // It is over already.
    }
  }
  const begin = () => {
    if (startedAt !== null || !said.startsWith('ready\n')) return
    startedAt = performance.now()
    if (stopped !== null) return endBox()
    if (group.isSampled) group.follow(findFirstProcess(child)!)
    plan(0, 0)
  }
  const look = () => {
    if (startedAt === null || stopped !== null || endedAt !== null) return
    const { limits } = program
    const wallMs = performance.now() - startedAt
    const cpuMs = group.readCpuMs()
    if (cpuMs >= limits.cpuMs) return stop('cpu')
    if (wallMs >= limits.wallMs && !waitsForUs(wallMs)) return stop('wall')
    if (group.isSampled && group.readMemory().peakBytes > limits.memoryBytes) return stop('memory')
    plan(cpuMs, wallMs)
  }
  /** On a busy machine a program may stand still because we are slow to take its output: that is not its own time. */
  const waitsForUs = (wallMs: number) => {
    const isFlowing = takenBytes - takenBefore >= pipeBytes
    takenBefore = takenBytes
    return isFlowing && wallMs < patience * program.limits.wallMs
  }
  /** Looks again no sooner than the CPU time can be used up with every core at work. */
  const plan = (cpuMs: number, wallMs: number) => {
    const { limits } = program
    const wallLeftMs = limits.wallMs - wallMs
    const soonest = Math.min((limits.cpuMs - cpuMs) / cores, wallLeftMs > 0 ? wallLeftMs : overtimeMs)
    timer = setTimeout(look, wallLeftMs > 0 && group.isSampled ? 10 : Math.max(5, soonest))
  }

  control.on('data', (chunk) => {
    said = (said + chunk).slice(0, 4096)
    begin()
    if (endedAt === null && /^ended \d+$/m.test(said)) endedAt = performance.now()
  })
  control.on('error', () => undefined)
  const abort = () => stop('abort')
  program.signal?.addEventListener('abort', abort, { once: true })
  if (program.signal?.aborted) abort()

  const ended = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      spawnError = error
      resolve()
    })
    child.on('close', () => resolve())
  }).finally(() => {
    clearTimeout(timer)
    endedAt ??= performance.now()
    program.signal?.removeEventListener('abort', abort)
  })

  return {
    stop,
    took(bytes) {
      takenBytes += bytes
    },
    ended,
    measure(stderr) {
      if (spawnError) throw new SandboxFailure(`bubblewrap did not start: ${spawnError.message}`)
      const refusal = readRefusal(said)
      if (refusal !== null && stopped === null) throw new SandboxFailure(refusal)
      if (startedAt === null && stopped === null) {
        throw new SandboxFailure(`The box could not be made: ${Buffer.from(stderr).toString().trim() || said.trim()}`)
      }
      const { peakBytes, shortage } = group.readMemory()
      if (shortage === 'machine') throw new SandboxFailure('The machine ran out of memory.')
      const isOutOfMemory = shortage === 'own'
      const ending = readEnding(said)
      if (ending === null && stopped === null && !isOutOfMemory) {
        throw new SandboxFailure(`The box ended without saying how: ${said.slice(6).trim()}`)
      }
      return {
        exitCode: ending?.exitCode ?? null,
        signal: ending?.signal ?? null,
        cpuMs: Math.max(group.readCpuMs(), ending?.cpuMs ?? 0),
        wallMs: startedAt === null ? 0 : endedAt! - startedAt,
        peakMemoryBytes: peakBytes,
        isOutOfMemory,
        stopped,
      }
    },
  }
}

/** bubblewrap's only child. bubblewrap is ours and not waited for yet, so neither number can be another's by now. */
function findFirstProcess(child: ChildProcess): number | null {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return null
  return listChildren(child.pid)[0] ?? null
}

/** Why the holding script did not start the program, if it said so before it was ready. */
function readRefusal(said: string): string | null {
  const missing = /^missing (.*)$/m.exec(said)
  if (missing && !said.startsWith('ready')) return `${missing[1]} can't be run inside the box.`
  return /^unlimited$/m.test(said) && !said.startsWith('ready') ? 'The box could not enter its cgroup.' : null
}

/** What the holding script said: a signal's name in the shell's words, the status, and the CPU time by `times`. */
function readEnding(said: string): { exitCode: number | null; signal: string | null; cpuMs: number } | null {
  const match = /^ready\n(|[\s\S]*?\n)ended (\d+)$([\s\S]*)/m.exec(said)
  if (!match) return null
  const status = Number(match[2])
  const remarks = match[1]!.trim()
  // The shell stays silent about these two, though they are signals.
  const isSignal = status > 128 && (remarks !== '' || status === 130 || status === 141)
  return {
    exitCode: isSignal ? null : status,
    signal: isSignal ? signalName(status - 128) : null,
    cpuMs: readTimes(match[3]!),
  }
}

const signalName = (number: number): string =>
  Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`

/** The second line of `times`: user and system time of the children. */
function readTimes(text: string): number {
  const line = text.trim().split('\n')[1] ?? ''
  let ms = 0
  for (const [, minutes, seconds] of line.matchAll(/(\d+)m([\d.]+)s/g))
    ms += (Number(minutes) * 60 + Number(seconds)) * 1e3
  return ms
}

/** A named pipe, since programs open /dev/stdin and /dev/stdout by name, which the socket that Node would use refuses. */
function openPipe(path: string): { stream: Socket; writeEnd: number } {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeEnd = openSync(path, constants.O_WRONLY)
  return { stream: new Socket({ fd: readEnd, readable: true, writable: false }), writeEnd }
}

function drainOutput(stream: Socket, program: BoxProgram, box: Watched): Promise<number> {
  let size = 0
  return drain(stream, (chunk) => {
    size += chunk.length
    box.took(chunk.length)
    if (size > program.limits.outputBytes) box.stop('output')
    else program.onOutput(chunk)
  }).then(() => size)
}

function drainErrors(stream: Socket, box: Watched): Promise<Buffer> {
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
