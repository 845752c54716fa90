/** Reads processes from /proc. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Returns an empty text if the file is gone, since a process may end at any moment. */
export function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** The fields of /proc/PID/stat from the state (field 3) on: the name before them may contain anything. A thread is PID/task/TID. */
export function readStat(process: number | string): string[] {
  const stat = readProc(`${process}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Each thread has its own list of children. */
export function listChildren(pid: number): number[] {
  if (hasChildrenFiles()) {
    return listThreads(pid).flatMap((thread) =>
      readProc(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    )
  }
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return all.filter((each) => readStat(each)[1] === String(pid))
}

export function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** How long a thread ran, and how long it was ready and waited for a processor. */
export type ThreadTime = { readonly ranMs: number; readonly waitedMs: number }

/** For these processes, by thread. Null if the kernel does not count it. */
export function readThreadTimes(pids: readonly number[]): Map<string, ThreadTime> | null {
  if (!existsSync('/proc/self/schedstat')) return null
  const times = new Map<string, ThreadTime>()
  for (const pid of pids) {
    for (const thread of listThreads(pid)) {
      const [ran = 0, waited = 0] = readProc(`${pid}/task/${thread}/schedstat`).split(' ').map(Number)
      if (ran + waited > 0) times.set(thread, { ranMs: ran / 1e6, waitedMs: waited / 1e6 })
    }
  }
  return times
}

/** Whether any thread of these processes runs or waits for a processor now. */
export const isAnyReady = (pids: readonly number[]): boolean =>
  pids.some((pid) => listThreads(pid).some((thread) => readStat(`${pid}/task/${thread}`)[0] === 'R'))

let areThere: boolean | undefined

/** Some kernels are built without these files. */
function hasChildrenFiles(): boolean {
  areThere ??= existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
  return areThere
}
