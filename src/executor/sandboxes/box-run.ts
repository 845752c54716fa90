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

export const stderrBytes = 64 * 1024

export type BoxStart = {
  readonly bwrap: string
  readonly words: readonly string[]
  readonly program: BoxProgram
  /** Two pipes of ours by name: the program's output and its stderr. */
  readonly pipes: readonly [string, string]
  readonly filterPath: string
  readonly makeGroup: () => Group
  readonly cores: number
}

export async function runBox(start: BoxStart): Promise<Omit<BoxOutcome, 'hadCompany'>> {
  const { program } = start
  const output = openPipe(start.pipes[0])
  const errors = openPipe(start.pipes[1])
  const filter = openSync(start.filterPath, constants.O_RDONLY)
  const child = spawn(start.bwrap, start.words, {
    env: { ...program.environment },
    stdio: ['ignore', output.writeEnd, errors.writeEnd, 'pipe', 'pipe', filter],
  })
  for (const descriptor of [output.writeEnd, errors.writeEnd, filter]) closeSync(descriptor)
  // Made while bubblewrap sets the box up, so that it costs the run no time.
  const group = start.makeGroup()
  const box = watch(child, program, group, start.cores)
  try {
    const [outputBytes, stderr] = await Promise.all([
      drainOutput(output.stream, program, () => box.stop('output')),
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
    group.kill()
    group.remove().catch(() => undefined) // what stays is swept at the next start
  }
}

type Watched = {
  stop(reason: StopReason): void
  readonly ended: Promise<void>
  measure(stderr: Uint8Array): Omit<BoxOutcome, 'outputBytes' | 'stderr' | 'hadCompany'>
}

function watch(child: ChildProcess, program: BoxProgram, group: Group, cores: number): Watched {
  const control = child.stdio[descriptors.control] as Readable & Writable
  const info = child.stdio[descriptors.info] as Readable
  let said = ''
  let told = ''
  let firstPid: number | null = null
  let startedAt: number | null = null
  let endedAt: number | null = null
  let stopped: StopReason | null = null
  let timer: NodeJS.Timeout | undefined
  let spawnError: Error | undefined

  const stop = (reason: StopReason) => {
    if (stopped !== null || endedAt !== null) return
    stopped = reason
    endBox()
  }
  // The first process takes its whole pid namespace along, and bubblewrap, which is left to wait for it, ends then.
  // As long as bubblewrap has not been waited for, the number is still that process's. bubblewrap itself is never
  // killed: between its fork and its first words that would leave the first process behind. One that is still held
  // finds the control channel closed and ends by itself.
  const endBox = () => {
    control.destroy()
    if (firstPid === null || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(firstPid, 'SIGKILL')
    } catch {
      // It is over already.
    }
  }
  const release = () => {
    if (firstPid === null || startedAt !== null || stopped !== null || !said.startsWith('ready\n')) return
    group.add(firstPid)
    startedAt = performance.now()
    control.write('go\n')
    look()
  }
  const look = () => {
    if (startedAt === null || stopped !== null || endedAt !== null) return
    const { limits } = program
    const wallMs = performance.now() - startedAt
    const cpuMs = group.readCpuMs()
    if (cpuMs >= limits.cpuMs) return stop('cpu')
    if (wallMs >= limits.wallMs) return stop('wall')
    if (group.isSampled && group.readPeakMemoryBytes() > limits.memoryBytes) return stop('memory')
    // No sooner than the CPU time can be used up with every core at work.
    const soonest = Math.min((limits.cpuMs - cpuMs) / cores, limits.wallMs - wallMs)
    timer = setTimeout(look, Math.max(group.isSampled ? 10 : 5, group.isSampled ? Math.min(soonest, 10) : soonest))
  }

  info.on('data', (chunk) => {
    told += chunk
    const match = /"child-pid":\s*(\d+)\s*[,}]/.exec(told)
    if (match && firstPid === null) {
      firstPid = Number(match[1])
      if (stopped === null) release()
      else endBox()
    }
  })
  control.on('data', (chunk) => {
    said = (said + chunk).slice(0, 4096)
    release()
    if (endedAt === null && /^ended \d+$/m.test(said)) endedAt = performance.now()
  })
  for (const stream of [info, control]) stream.on('error', () => undefined)
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
    ended,
    measure(stderr) {
      if (spawnError) throw new SandboxFailure(`bubblewrap did not start: ${spawnError.message}`)
      if (startedAt === null && stopped === null) {
        throw new SandboxFailure(`The box could not be made: ${Buffer.from(stderr).toString().trim() || said.trim()}`)
      }
      if (group.isMachineOutOfMemory()) throw new SandboxFailure('The machine ran out of memory.')
      const isOutOfMemory = group.isOutOfMemory()
      const ending = readEnding(said)
      if (ending === null && stopped === null && !isOutOfMemory) {
        throw new SandboxFailure(`The box ended without saying how: ${said.slice(6).trim()}`)
      }
      return {
        exitCode: ending?.exitCode ?? null,
        signal: ending?.signal ?? null,
        cpuMs: Math.max(group.readCpuMs(), ending?.cpuMs ?? 0),
        wallMs: startedAt === null ? 0 : endedAt! - startedAt,
        peakMemoryBytes: group.readPeakMemoryBytes(),
        isOutOfMemory,
        stopped,
      }
    },
  }
}

/** What the holding script said: a signal's name in the shell's words, the status, and the CPU time by `times`. */
function readEnding(said: string): { exitCode: number | null; signal: string | null; cpuMs: number } | null {
  const missing = /^missing (.*)$/m.exec(said)
  if (missing) throw new SandboxFailure(`${missing[1]} can't be run inside the box.`)
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

function drainOutput(stream: Socket, program: BoxProgram, overflow: () => void): Promise<number> {
  let size = 0
  return drain(stream, (chunk) => {
    size += chunk.length
    if (size > program.limits.outputBytes) overflow()
    else program.onOutput(chunk)
  }).then(() => size)
}

function drainErrors(stream: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return drain(stream, (chunk) => {
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
