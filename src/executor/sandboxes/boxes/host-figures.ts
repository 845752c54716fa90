/**
 * What a box sees of the host's figures in /proc: load, memory, interrupts, disks and the like tell of neighbours, and could
 * be signals between boxes. In their place are files that never change; those that runtimes read have what these look for. A
 * file of the kernel's has the time when it was first looked for in this box, which would be a signal from one run to the
 * next: no folder but those of processes is left, and the first process of a box that is kept looks for the rest.
 */
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { readProc } from '../processes.ts'

const hidden = [
  ...['buddyinfo', 'cgroups', 'diskstats', 'interrupts', 'key-users', 'latency_stats', 'locks', 'pagetypeinfo'],
  ...[
    'cmdline',
    'crypto',
    'keys',
    'mdstat',
    'modules',
    'partitions',
    'sched_debug',
    'schedstat',
    'slabinfo',
    'softirqs',
    'swaps',
    'timer_list',
    'vmallocinfo',
    'vmstat',
    'zoneinfo',
  ],
]

/** Of /proc/sys, what runtimes and libraries ask for. The rest of it counts what others do, or is for administrators. */
const settings = [
  ...['kernel/cap_last_cap', 'kernel/ngroups_max', 'kernel/osrelease', 'kernel/ostype', 'kernel/pid_max'],
  ...['kernel/randomize_va_space', 'kernel/threads-max', 'kernel/version', 'net/core/somaxconn'],
  ...['vm/max_map_count', 'vm/mmap_min_addr', 'vm/overcommit_memory', 'vm/overcommit_ratio'],
]

/** Of the files of a network, those that tell of all networks: of their memory, packets by processor, tables, numbers of sockets. */
const networkWide = ['netlink', 'protocols', 'rt_acct', 'sockstat', 'sockstat6', 'softnet_stat', 'stat']

/** The number of processors and how much memory there is are no secrets: programs are sized by them. */
function standIns(): Record<string, string> {
  const cores = Array.from({ length: availableParallelism() }, (_, i) => `cpu${i}`)
  const zeros = ' 0'.repeat(10)
  const kib = Math.floor(totalmem() / 1024)
  const memory = { MemTotal: kib, MemFree: kib, MemAvailable: kib, Buffers: 0, Cached: 0, SwapTotal: 0, SwapFree: 0 }
  return {
    stat: `${['cpu ', ...cores].map((name) => name + zeros).join('\n')}\nintr 0\nctxt 0\nbtime 0\nprocesses 0\nprocs_running 1\nprocs_blocked 0\n`,
    meminfo: Object.entries(memory)
      .map(([name, value]) => `${`${name}:`.padEnd(16)}${String(value).padStart(10)} kB\n`)
      .join(''),
    // The speed of each processor changes with its load.
    cpuinfo: readProc('cpuinfo').replaceAll(/^(cpu MHz\s*:).*$/gm, '$1 1000.000'),
    loadavg: '0.00 0.00 0.00 1/1 1\n',
    uptime: '0.00 0.00\n',
  }
}

/**
 * Writes what stands in for them, and answers the arguments that put it there, once /proc is mounted. `ownsNetwork`: the box
 * has a network of its own, whose files are root's.
 */
export function hideHostFigures(folder: string, { ownsNetwork }: { readonly ownsNetwork: boolean }): string[] {
  const place = join(folder, 'figures')
  mkdirSync(place, { mode: 0o755 })
  const empty = join(place, 'empty')
  writeFileSync(empty, '', { mode: 0o644 })
  const put = Object.entries(standIns()).flatMap(([name, text]) => {
    const path = join(place, name)
    writeFileSync(path, text, { mode: 0o644 })
    return ['--ro-bind', path, `/proc/${name}`]
  })
  for (const path of hidden.map((name) => `/proc/${name}`)) if (isForAll(path)) put.push('--ro-bind', empty, path)
  const none = join(place, 'none')
  mkdirSync(none, { mode: 0o755 })
  for (const name of foldersOfTheKernel())
    put.push('--ro-bind', name === 'sys' ? copySettings(place) : none, `/proc/${name}`)
  return ownsNetwork ? [...put, ...closeNetworkFiles()] : put
}

/** With the types of what it lists, a reading of /proc fails when a process ends meanwhile. */
const foldersOfTheKernel = (): string[] =>
  readdirSync('/proc').filter((name) => !/^\d/.test(name) && lstatSync(`/proc/${name}`).isDirectory())

/** They are in the folder of every process, where nothing can be mounted; but a network's files have modes of their own. */
const closeNetworkFiles = (): string[] =>
  networkWide
    .map((name) => `/proc/self/net/${name}`)
    .filter((path) => existsSync(path))
    .flatMap((path) => ['--chmod', '0500', path])

/** A program is neither root nor has any privilege, and each mount takes time. */
const isForAll = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o004) !== 0

function copySettings(place: string): string {
  const folder = join(place, 'sys')
  mkdirSync(folder, { mode: 0o755 })
  for (const name of settings) {
    const text = readProc(`sys/${name}`)
    if (text === '') continue
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o755 })
    writeFileSync(join(folder, name), text, { mode: 0o644 })
  }
  return folder
}
