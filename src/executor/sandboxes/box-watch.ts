/** Watching a box: it is stopped when it is over a limit or called off, and measured when it has ended. */
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { descriptors } from './box-arguments.ts'
import { readEnding, readRefusal } from './box-ending.ts'
import type { Group } from './cgroups/group.ts'
import { listChildren } from './processes.ts'
import { type BoxOutcome, type BoxProgram, SandboxFailure, type StopReason } from './sandbox.ts'

/** What a pipe holds: a program that waits for us has at least that much to give. */
const pipeBytes = 64 * 1024
/** One whose output flows gets the wall clock's time again this often, in steps. */
const patience = 4
const overtimeMs = 250

export type WatchedBox = {
  stop(reason: StopReason): void
  /** So many bytes of its output were taken. */
  took(bytes: number): void
  readonly ended: Promise<void>
  measure(stderr: Uint8Array): Omit<BoxOutcome, 'outputBytes' | 'stderr' | 'hadCompany'>
}

type Watch = { readonly program: BoxProgram; readonly cores: number }

export function watchBox(child: ChildProcess, { program, cores }: Watch, group: Group): WatchedBox {
  const control = child.stdio[descriptors.control] as Readable
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
