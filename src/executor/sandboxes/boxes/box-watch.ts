/** Watches a box: stops it if it exceeds a limit or is aborted, and measures it when it has ended. */
import { availableParallelism } from 'node:os'
import type { Group } from '../cgroups/group.ts'
import { type BoxOutcome, type BoxProgram, SandboxFailure, type StopReason } from '../sandbox.ts'
import { readEnding, readRefusal } from './box-ending.ts'
import { isHeldUp, isStarved, longestWait, measureWait } from './processor-starvation.ts'

/** The capacity of a pipe: a program blocked on its output has at least this much to write. */
const pipeBytes = 64 * 1024
/** A program whose output flows gets this long beyond its wall-clock limit, in steps. */
const patienceMs = 1_000
const overtimeMs = 250
/**
 * The longest interval between two polls, so that few processes begin and end unseen. It is shortened randomly by up to
 * half: no program can time its activity to the polls.
 */
const lookMs = 250

/** Busy for less than this fraction of its idle limit counts as idle. */
const busyPart = 0.02

export type WatchedBox = {
  stop(reason: StopReason): void
  /** Called with the number of bytes read from its standard output. */
  took(bytes: number): void
  readonly ended: Promise<void>
  /** Resolves when its streams are open and the program is about to start, or the box is gone. */
  readonly ready: Promise<void>
  /** Resolves when the program itself has ended, with its exit code; files may still leave the box. */
  readonly over: Promise<number | null>
  readonly stopReason: StopReason | null
  /** The first process of the box; null before it exists and after it has ended. */
  findFirst(): number | null
  measure(stderr: Uint8Array): Omit<BoxOutcome, 'outputBytes' | 'stderr' | 'ranConcurrently'>
}

/** The processes of a run, as the watch needs them. */
export type BoxProcess = {
  /** Passes on the launch script's reports. */
  listen(take: (text: string) => void): void
  /** The first process, which ends all others; null before it exists and after it has ended. */
  findFirst(): number | null
  /** Resolves when the run is over, with an error if its ending is unknown. */
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
  // Killing the first process ends its whole pid namespace, and bubblewrap, which waits for it. bubblewrap itself is
  // never killed: between its fork and its first report that would leave the first process behind. A box without a
  // first process is ended when it reports that it is ready.
  const endBox = () => {
    const firstPid = box.findFirst()
    if (firstPid === null) return
    try {
      process.kill(firstPid, 'SIGKILL')
    } catch {
      // It has already ended.
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
        // Without the kernel's figures any box may have been held up. Flowing output proves nothing: a sleeping program
        // may write, too.
        wasHeldUp = time === null || isHeldUp(time, limits) || isStarved({ readyMs, ranMs: cpuMs }, limits)
        return stop('wall')
      }
    }
    if (group.isSampled && group.readMemory().peakBytes > limits.memoryBytes) return stop('memory')
    plan(cpuMs, wallMs)
  }
  const isIdle = (busyMs: number, wallMs: number) => {
    const { idleMs: mostMs = Number.POSITIVE_INFINITY } = program.limits
    // A longer time between two polls is a stall of the machine, not of the program.
    idleMs += Math.min(wallMs - lookedAt, 2 * lookMs)
    lookedAt = wallMs
    if (busyMs - busyBefore >= busyPart * mostMs) {
      idleMs = 0
      busyBefore = busyMs
    }
    return idleMs >= mostMs
  }
  /**
   * On a busy machine a program may be blocked because the executor reads its output slowly: that time is not the
   * program's.
   */
  const hasOutputFlown = () => {
    const hasFlown = takenBytes - takenBefore >= pipeBytes
    takenBefore = takenBytes
    return hasFlown
  }
  /** Schedules the next poll at the earliest time at which the CPU limit can be reached on all cores. */
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
      // Shortages of the machine are recognised by their error code.
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
      // An executor without processor time meanwhile learns of the start and the end at once.
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
