/** A group of processes under limits, and the kernel interface that carries it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyReady, readThreadTimes, type ThreadTime } from '../processes.ts'

export type GroupLimits = {
  readonly memoryBytes: number
  readonly processes: number
  /** Of the processors, beside other groups that have 1. */
  readonly share?: number
}

export type GroupMemory = {
  readonly peakBytes: number
  /** The kernel ended a process for want of memory: the group's own (its limit was reached) or the machine's. */
  readonly shortage: 'own' | 'machine' | null
}

export type Group = {
  /** The files through which a process enters it, by writing 0 to each. */
  readonly entryFiles: readonly string[]
  /** Is called with the box's first process, for groups that are sampled. */
  follow(pid: number): void
  readCpuMs(): number
  readMemory(): GroupMemory
  /**
   * How long it was ready to run and waited for a processor so far, as far as was seen: of processes that begin and end
   * between two calls nothing may be known. Null where the kernel does not count it.
   */
  readWaitMs(): number | null
  /** Its thread that ran or was ready to run for longest, as far as was seen. Null where the kernel does not count it. */
  readBusiest(): ThreadTime | null
  /** Whether any of its threads runs or waits for a processor at this moment. */
  isReady(): boolean
  isEmpty(): boolean
  /**
   * Begins to count anew, for another run in the same group; null where the kernel can't, or where something of the run
   * before is left.
   */
  beginRound?(): Group | null
  kill(): void
  /** With sampled figures, the box is polled more often, and the poll stops it when it exceeds its memory. */
  readonly isSampled: boolean
  /** Resolves once the group is gone; the kernel may need a moment after its last process. */
  remove(): Promise<void>
}

export type ThreadFigure = 'readWaitMs' | 'readBusiest' | 'isReady'

/** One version of the kernel's interface: where groups live and how their files are spelled. */
export type Hierarchy = {
  readonly version: 'v1' | 'v2'
  /** The folder of each mounted tree under which this program may make groups. */
  readonly roots: readonly string[]
  /** Where a process writes 0 to enter. */
  readonly entryFile: string
  limit(folders: readonly string[], limits: GroupLimits): void
  open(folders: readonly string[]): Pick<Group, 'readCpuMs' | 'readMemory' | ThreadFigure | 'kill'>
  /** Forgets the highest memory of an empty group; answers what is left of it, or null where it can't. */
  forgetPeak?(folders: readonly string[]): number | null
  /** Closes what it holds of a group. */
  close?(folders: readonly string[]): void
  /** Prepares a folder so that groups can be created in it. */
  prepare(folder: string): void
}

/** Knows what the threads that were seen have run and waited, the ended ones too. */
export function makeThreadTally(listPids: () => readonly number[]): Pick<Group, ThreadFigure> {
  const seen = new Map<string, ThreadTime>()
  const look = (): ThreadTime[] | null => {
    const times = readThreadTimes(listPids())
    if (times === null) return null
    for (const [thread, time] of times) seen.set(thread, time)
    return [...seen.values()]
  }
  return {
    readWaitMs: () => look()?.reduce((sum, { waitedMs }) => sum + waitedMs, 0) ?? null,
    readBusiest: () => look()?.reduce(busierOf, { ranMs: 0, waitedMs: 0 }) ?? null,
    isReady: () => isAnyReady(listPids()),
  }
}

const busierOf = (a: ThreadTime, b: ThreadTime): ThreadTime => (b.ranMs + b.waitedMs > a.ranMs + a.waitedMs ? b : a)

export function killProcesses(folder: string): void {
  for (const pid of listProcesses(folder)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

export function listProcesses(folder: string): number[] {
  try {
    const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').map(Number)
    // A process of another pid namespace reads as 0, and a signal to 0 would hit ourselves.
    return pids.filter((pid) => pid > 0)
  } catch {
    return []
  }
}
