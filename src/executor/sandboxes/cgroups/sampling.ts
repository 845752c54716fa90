/** Measures without a cgroup: samples the box's processes every few milliseconds, so short peaks can be missed. */

import { listChildren, readProc, readStat } from '../processes.ts'
import { type Group, makeThreadTally } from './group.ts'

const tickMs = 10 // USER_HZ is 100 on all supported machines
const pageBytes = 4096

export function makeSampledGroup(): Group {
  let root: number | null = null
  let cpuMs = 0
  let peakBytes = 0
  /** By process: if a parent ignores the end of its child, the child's time is added to no process. */
  const own = new Map<number, number>()

  const sample = () => {
    if (root === null) return
    const figures = listTree(root).map(readFigures)
    for (const each of figures) own.set(each.pid, each.ownMs)
    const seen = own.values().reduce((sum, ms) => sum + ms, 0)
    cpuMs = Math.max(
      cpuMs,
      seen,
      figures.reduce((sum, each) => sum + each.cpuMs, 0),
    )
    const resident = figures.reduce((sum, each) => sum + each.residentBytes, 0)
    peakBytes = Math.max(peakBytes, resident, ...figures.map((each) => each.highestBytes))
  }

  return {
    isSampled: true,
    entryFiles: [],
    follow(pid) {
      root = pid
    },
    readCpuMs() {
      sample()
      return cpuMs
    },
    ...makeThreadTally(() => (root === null ? [] : listTree(root))),
    readMemory: () => ({ peakBytes, shortage: null }),
    isEmpty: () => root === null || ['Z', 'X', undefined].includes(readStat(root)[0]),
    kill() {},
    async remove() {},
  }
}

/** Lists the box's first process and its descendants; a process without a parent becomes a child of the first. */
function listTree(root: number): number[] {
  const pids = [root]
  for (let i = 0; i < pids.length; i++) pids.push(...listChildren(pids[i]!))
  return pids
}

type Figures = { pid: number; ownMs: number; cpuMs: number; residentBytes: number; highestBytes: number }

function readFigures(pid: number): Figures {
  const fields = readStat(pid)
  // utime, stime, and those of the children it has waited for
  const [user = 0, system = 0, ...children] = fields.slice(11, 15).map(Number)
  const ticks = children.reduce((sum, each) => sum + each, user + system)
  const highest = /^VmHWM:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))
  return {
    pid,
    ownMs: (user + system) * tickMs,
    cpuMs: ticks * tickMs,
    residentBytes: Number(fields[21] ?? 0) * pageBytes,
    highestBytes: Number(highest?.[1] ?? 0) * 1024,
  }
}
