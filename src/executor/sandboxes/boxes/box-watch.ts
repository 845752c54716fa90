/** Watches a box: stops it when it exceeds a limit or is aborted, and measures it when it has ended. */
import { availableParallelism } from 'node:os'
import type { Group } from '../cgroups/group.ts'
import { type BoxOutcome, type BoxProgram, SandboxFailure, type StopReason } from '../sandbox.ts'
import { readEnding, readRefusal } from './box-ending.ts'
import { isHeldUp, isStarved, longestWait, measureWait } from './processor-starvation.ts'

/** The capacity of a pipe: a program that is blocked on its output has at least this much to write. */
const pipeBytes = 64 * 1024
/** A program whose output flows has this long beyond its wall-clock limit, in steps. */
const patienceMs = 1_000
const overtimeMs = 250
/**
 * A look at least this often, so that hardly a process begins and ends unseen. It comes up to half of that sooner, by chance:
 * nobody can be busy for a moment whenever it is looked at.
 */
const lookMs = 250

/** One that was busy for less than this part of its time to be idle is idle. */
const busyPart = 0.02

export type WatchedBox = {
  stop(reason: StopReason): void
  /** Is called with the number of bytes read of its standard output. */
  took(bytes: number): void
  readonly ended: Promise<void>
  /** Resolves once its streams are open and the program is about to start, or the box is gone. */
  readonly ready: Promise<void>
  /** Resolves once the program itself has ended, with its exit code; files may still leave the box. */
  readonly over: Promise<number | null>
  readonly stopReason: StopReason | null
  /** The first process of the box; null where it is not there yet, or no longer. */
  findFirst(): number | null
  measure(stderr: Uint8Array): Omit<BoxOutcome, 'outputBytes' | 'stderr' | 'ranConcurrently'>
}

/** The processes of a run, as they are watched. */
export type BoxProcess = {
  /** Hands on what the launch script says. */
  listen(take: (text: string) => void): void
  /** The first process, which ends all others; null where it is not there yet, or no longer. */
  findFirst(): number | null
  /** Resolves when the run is over, with an error where nobody can say how it ended. */
  readonly ended: Promise<Error | undefined>
}

type Watch = { readonly program: BoxProgram; readonly cores: number }

export function watchBox(box: BoxProcess, { program, cores }: Watch, group: Group): WatchedBox {
  let said = ''
  let startedAt: number | null = null
  let endedAt: number | null = null
  let stopped: StopReason | null = null
  let takenBytes = 0
  let takenBefore = 0
  let wasHeldUp = false
  let readyMs = 0
  let idleMs = 0
  let busyBefore = 0
  let lookedAt = 0
  let timer: NodeJS.Timeout | undefined
  let endError: Error | undefined
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<number | null>()

  const stop = (reason: StopReason) => {
    if (stopped !== null || endedAt !== null) return
    stopped = reason
    endBox()
  }
  // Killing the first process ends its whole pid namespace, and bubblewrap, which waits for it. bubblewrap itself is never
  // killed: between its fork and its first report that would leave the first process behind. A box that has no first
  // process yet is ended when it reports that it is ready.
  const endBox = () => {
    const firstPid = box.findFirst()
    if (firstPid === null) return
    try {
      process.kill(firstPid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
  const begin = () => {
    if (startedAt !== null || !said.startsWith('ready\n')) return
    startedAt = performance.now()
    ready.resolve()
    if (stopped !== null) return endBox()
    if (group.isSampled) group.follow(box.findFirst()!)
    plan(0, 0)
  }
  const look = () => {
    if (startedAt === null || stopped !== null || endedAt !== null) return
    const { limits } = program
    const wallMs = performance.now() - startedAt
    const cpuMs = group.readCpuMs()
    if (cpuMs >= limits.cpuMs) return stop('cpu')
    const waitedMs = group.readWaitMs()
    if (group.isReady()) readyMs += wallMs - lookedAt
    if (isIdle(cpuMs + (waitedMs ?? 0), wallMs)) return stop('idle')
    if (wallMs >= limits.wallMs) {
      const time = group.readBusiest() ?? (waitedMs === null ? null : { ranMs: cpuMs, waitedMs })
      const ownMs = wallMs - measureWait(time, { readyMs, ranMs: cpuMs }, wallMs)
      const isOver = ownMs >= limits.wallMs || wallMs >= longestWait * limits.wallMs
      if (
        isOver &&
        (!hasOutputFlown() || ownMs >= limits.wallMs + patienceMs || wallMs >= longestWait * limits.wallMs)
      ) {
        // Where nobody counts it, each may have been held up. Output that flows is no sign: who sleeps may write as well.
        wasHeldUp = time === null || isHeldUp(time, limits) || isStarved({ readyMs, ranMs: cpuMs }, limits)
        return stop('wall')
      }
    }
    if (group.isSampled && group.readMemory().peakBytes > limits.memoryBytes) return stop('memory')
    plan(cpuMs, wallMs)
  }
  const isIdle = (busyMs: number, wallMs: number) => {
    const { idleMs: mostMs = Number.POSITIVE_INFINITY } = program.limits
    // A longer time between two looks is the machine's standstill, not the program's.
    idleMs += Math.min(wallMs - lookedAt, 2 * lookMs)
    lookedAt = wallMs
    if (busyMs - busyBefore >= busyPart * mostMs) {
      idleMs = 0
      busyBefore = busyMs
    }
    return idleMs >= mostMs
  }
  /** On a busy machine a program may be blocked because the executor is slow to read its output: that time is not its own. */
  const hasOutputFlown = () => {
    const hasFlown = takenBytes - takenBefore >= pipeBytes
    takenBefore = takenBytes
    return hasFlown
  }
  /** Schedules the next look at the earliest time at which the CPU limit can be reached with every core in use. */
  const plan = (cpuMs: number, wallMs: number) => {
    const { limits } = program
    const wallLeftMs = limits.wallMs - wallMs
    const soonest = Math.min((limits.cpuMs - cpuMs) / cores, wallLeftMs > 0 ? wallLeftMs : overtimeMs)
    timer = setTimeout(
      look,
      wallLeftMs > 0 && group.isSampled ? 10 : Math.min(lookMs * (1 - Math.random() / 2), Math.max(5, soonest)),
    )
  }

  box.listen((chunk) => {
    said = (said + chunk).slice(0, 4096)
    begin()
    if (/^(?:over|ended) \d+$/m.test(said)) over.resolve(readEnding(said)?.exitCode ?? null)
    if (endedAt === null && /^ended \d+$/m.test(said)) endedAt = performance.now()
  })
  const abort = () => stop('abort')
  program.signal?.addEventListener('abort', abort, { once: true })
  if (program.signal?.aborted) abort()

  const ended = box.ended.then((error) => {
    endError = error
    clearTimeout(timer)
    endedAt ??= performance.now()
    ready.resolve()
    over.resolve(null)
    program.signal?.removeEventListener('abort', abort)
  })

  return {
    stop,
    took(bytes) {
      takenBytes += bytes
    },
    findFirst: box.findFirst,
    ended,
    ready: ready.promise,
    over: over.promise,
    get stopReason() {
      return stopped
    },
    measure(stderr) {
      // What the machine lacks has a code, by which it is known.
      if (endError) throw 'code' in endError ? endError : new SandboxFailure(endError.message)
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
      const cpuMs = Math.max(group.readCpuMs(), ending?.cpuMs ?? 0)
      // An executor that had no processor meanwhile hears of the beginning and of the end at once.
      const leastMs = cpuMs / availableParallelism()
      return {
        exitCode: ending?.exitCode ?? null,
        signal: ending?.signal ?? null,
        cpuMs,
        wallMs: startedAt === null ? 0 : Math.max(endedAt! - startedAt, leastMs),
        peakMemoryBytes: peakBytes,
        isOutOfMemory,
        stopped,
        wasHeldUp,
      }
    },
  }
}
