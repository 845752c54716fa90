/** Cgroup version 1: a tree per controller, as some hosts still mount them. */
import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readField, readNumber, tryControl, writeControl } from './control-files.ts'
import { type Hierarchy, killProcesses, listProcesses, makeThreadTally } from './group.ts'
import { listCgroupMounts } from './mounts.ts'

const wanted = ['memory', 'cpuacct', 'pids'] as const
/**
 * With this controller groups share the processors equally, however many processes each has. Without it, processes do.
 */
const sharing = 'cpu'

export function findSplitHierarchy(): { hierarchy: Hierarchy } | { reason: string } {
  const mounts = listCgroupMounts().filter((mount) => mount.type === 'cgroup')
  const roots: string[] = []
  for (const controller of wanted) {
    const mount = mounts.find((each) => each.controllers.includes(controller))
    if (!mount) return { reason: `cgroup v1: no ${controller} controller is mounted` }
    const root = mount.candidates.find(isWritable)
    if (!root) return { reason: `cgroup v1: ${mount.path} can't be written` }
    if (!roots.includes(root)) roots.push(root)
  }
  const shared = mounts.find((each) => each.controllers.includes(sharing))?.candidates.find(isWritable)
  if (shared && !roots.includes(shared)) roots.push(shared)
  return { hierarchy: makeSplitHierarchy(roots) }
}

export function makeSplitHierarchy(roots: readonly string[]): Hierarchy {
  // Controllers may share a tree: each file is in the folder of its controller's tree.
  const holder = (controller: string) =>
    Math.max(
      0,
      roots.findIndex((root) => root.split(/[/,]/).includes(controller)),
    )
  const [memory, cpu, pids] = wanted.map(holder) as [number, number, number]
  return {
    version: 'v1',
    roots,
    // A single-threaded process that enters by itself is moved without the lock that blocks every fork on the machine.
    entryFile: 'tasks',
    isOpenToNamespaces: true,
    prepare(folder) {
      // All boxes together weigh as much as one process per core.
      tryControl(join(folder, 'cpu.shares'), String(1024 * availableParallelism()))
    },
    limit(folders, limits) {
      const bytes = String(limits.memoryBytes)
      writeControl(join(folders[memory]!, 'memory.limit_in_bytes'), bytes)
      tryControl(join(folders[memory]!, 'memory.memsw.limit_in_bytes'), bytes)
      writeControl(join(folders[pids]!, 'pids.max'), String(limits.processes))
      tryControl(join(folders[holder(sharing)]!, 'cpu.shares'), String(Math.round(1024 * (limits.share ?? 1))))
    },
    readHeldBytes: (folders) => readNumber(join(folders[memory]!, 'memory.usage_in_bytes')),
    open(folders) {
      const inMemory = (name: string) => join(folders[memory]!, name)
      return {
        readCpuMs: () => readNumber(join(folders[cpu]!, 'cpuacct.usage')) / 1e6,
        readMemory() {
          const peakBytes = readNumber(inMemory('memory.max_usage_in_bytes'))
          if (readField(inMemory('memory.oom_control'), 'oom_kill') === 0) return { peakBytes, shortage: null }
          // Newer kernels leave failcnt at 0. A refused allocation is at most a few huge pages below the limit.
          const isFull = peakBytes + 4 * 1024 * 1024 >= readNumber(inMemory('memory.limit_in_bytes'))
          return { peakBytes, shortage: isFull ? 'own' : 'machine' }
        },
        ...makeThreadTally(() => listProcesses(folders[memory]!)),
        kill: () => killProcesses(folders[memory]!),
      }
    },
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
