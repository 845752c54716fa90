/** A group of processes under limits, and the kernel interface that implements it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAnyReady, readThreadTimes, type ThreadTime } from '../processes.ts'

export type GroupLimits = {
  readonly memoryBytes: number
  readonly processes: number
  /** The share of the processors, relative to 1 for other groups. */
  readonly share?: number
}

export type GroupMemory = {
  readonly peakBytes: number
  /** The kernel killed a process for lack of memory: because of the group's limit, or the machine's. */
  readonly shortage: 'own' | 'machine' | null
}

export type Group = {
  /** The files by which a process enters it, by writing 0 to each. */
  readonly entryFiles: readonly string[]
  /** Called with the box's first process, for sampled groups. */
  follow(pid: number): void
  readCpuMs(): number
  readMemory(): GroupMemory
  /**
   * How long it has been ready and waited for a processor, as far as observed: processes that begin and end between two
   * calls may be missed. Null if the kernel does not count it.
   */
  readWaitMs(): number | null
  /** Its thread with the most time running or ready, as far as observed. Null if the kernel does not count it. */
  readBusiest(): ThreadTime | null
  /** Whether any of its threads runs or waits for a processor now. */
  isReady(): boolean
  isEmpty(): boolean
  kill(): void
  /** With sampled figures the box is polled more often, and the poll stops it if it exceeds its memory. */
  readonly isSampled: boolean
  /** Resolves once the group is gone; the kernel may need a moment after its last process. */
  remove(): Promise<void>
}

/** The group of one run. */
export type Cgroup = Group & {
  /** Its name in each of the executor's folders. */
  readonly name: string
  /** Moves a process into it that can't enter by itself. The kernel may take some milliseconds. */
  admit(pid: number): Promise<void>
  /** Whether its run left nothing: no process, and hardly any memory of the kernel. */
  isUnused(): boolean
}

export type ThreadFigure = 'readWaitMs' | 'readBusiest' | 'isReady'

/** One version of the kernel's interface: the place of groups, and the format of their files. */
export type Hierarchy = {
  readonly version: 'v1' | 'v2'
  /** For each mounted tree, the folder in which this program may create groups. */
  readonly roots: readonly string[]
  /** The file to which a process writes 0 to enter. */
  readonly entryFile: string
  /** Whether a process in another cgroup namespace may enter. */
  readonly isOpenToNamespaces: boolean
  limit(folders: readonly string[], limits: GroupLimits): void
  open(folders: readonly string[]): Pick<Group, 'readCpuMs' | 'readMemory' | ThreadFigure | 'kill'>
  /** The memory that it has now, in bytes. */
  readHeldBytes(folders: readonly string[]): number
  /** Prepares a folder so that groups can be created in it. */
  prepare(folder: string): void
}

/** Adds up how long all observed threads have run and waited, including ended ones. */
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
      // It has already ended.
    }
  }
}

export function listProcesses(folder: string): number[] {
  try {
    const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').map(Number)
    // A process of another pid namespace reads as 0, and a signal to 0 would hit this process group.
    return pids.filter((pid) => pid > 0)
  } catch {
    return []
  }
}
