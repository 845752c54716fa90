/** Cgroup version 2: one tree, in which a folder passes its controllers to its children by name. */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readField, readNumber, tryControl, writeControl } from './control-files.ts'
import { type Hierarchy, killProcesses, listProcesses, makeThreadTally } from './group.ts'
import { listCgroupMounts } from './mounts.ts'

const wanted = ['memory', 'pids'] // CPU time is counted in every group

export function findUnifiedHierarchy(): { hierarchy: Hierarchy } | { reason: string } {
  const mount = listCgroupMounts().find((each) => each.type === 'cgroup2')
  if (!mount) return { reason: 'cgroup v2: not mounted' }
  for (const folder of mount.candidates) {
    if (handsDown(folder) || (offers(folder) && handDown(folder) && handsDown(folder))) {
      shareAlike(folder)
      return { hierarchy: makeUnifiedHierarchy(folder) }
    }
  }
  return { reason: `cgroup v2: no folder of ${mount.path} hands ${wanted.join(' and ')} down to this user` }
}

export function makeUnifiedHierarchy(root: string): Hierarchy {
  return {
    version: 'v2',
    roots: [root],
    entryFile: 'cgroup.procs',
    // systemd mounts it with nsdelegate, which refuses to move a process out of its cgroup namespace.
    isOpenToNamespaces: false,
    prepare(folder) {
      if (!handsDown(folder)) writeControl(join(folder, 'cgroup.subtree_control'), asControl(wanted))
      shareAlike(folder)
      // All boxes together weigh as much as one process per core.
      tryControl(join(folder, 'cpu.weight'), String(Math.min(10_000, 100 * availableParallelism())))
    },
    limit([folder], limits) {
      writeControl(join(folder!, 'memory.max'), String(limits.memoryBytes))
      tryControl(join(folder!, 'memory.swap.max'), '0')
      tryControl(join(folder!, 'memory.oom.group'), '1')
      writeControl(join(folder!, 'pids.max'), String(limits.processes))
      tryControl(join(folder!, 'cpu.weight'), String(Math.round(100 * (limits.share ?? 1))))
    },
    readHeldBytes: ([folder]) => readNumber(join(folder!, 'memory.current')),
    open([folder]) {
      const inGroup = (name: string) => join(folder!, name)
      const hasPeak = existsSync(inGroup('memory.peak')) // Linux 5.19
      let highest = 0
      return {
        readCpuMs() {
          if (!hasPeak) highest = Math.max(highest, readNumber(inGroup('memory.current')))
          return readField(inGroup('cpu.stat'), 'usage_usec') / 1e3
        },
        readMemory() {
          const peakBytes = hasPeak ? readNumber(inGroup('memory.peak')) : highest
          const event = (name: string) => readField(inGroup('memory.events'), name)
          if (event('oom_kill') === 0) return { peakBytes, shortage: null }
          return { peakBytes, shortage: event('oom') > 0 ? 'own' : 'machine' }
        },
        ...makeThreadTally(() => listProcesses(folder!)),
        // The time in which at least one of its threads waited; some kernels are built or started without it.
        ...(existsSync(inGroup('cpu.pressure')) && {
          readWaitMs: () =>
            Number(/^some .*total=(\d+)/m.exec(readFileSync(inGroup('cpu.pressure'), 'utf8'))?.[1] ?? 0) / 1e3,
        }),
        kill: () => {
          if (!tryControl(inGroup('cgroup.kill'), '1')) killProcesses(folder!)
        },
      }
    },
  }
}

const asControl = (names: readonly string[]) => names.map((name) => `+${name}`).join(' ')
const handDown = (folder: string) => tryControl(join(folder, 'cgroup.subtree_control'), asControl(wanted))
/**
 * Lets groups share the processors equally, however many processes each has. This user may not be allowed to delegate
 * it.
 */
const shareAlike = (folder: string) => tryControl(join(folder, 'cgroup.subtree_control'), '+cpu')
const handsDown = (folder: string) => names(join(folder, 'cgroup.subtree_control'))
const offers = (folder: string) => names(join(folder, 'cgroup.controllers'))

function names(path: string): boolean {
  try {
    const words = readFileSync(path, 'utf8').trim().split(' ')
    return wanted.every((name) => words.includes(name))
  } catch {
    return false
  }
}
