/**
 * What a box sees of the host's figures in /proc: load, memory, interrupts, disks and the like reveal neighbours, and
 * could be signals between boxes. They are replaced by constant files; those that runtimes read have plausible content.
 * The kernel gives each such file the time of its first lookup in this box, which would be a signal from one run to the
 * next: so only the folders of processes are left, and the first process of a reused box looks up the rest.
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

/**
 * The files of /proc/sys that runtimes and libraries read. The others count activity of other processes, or are for
 * administrators.
 */
const settings = [
  ...['kernel/cap_last_cap', 'kernel/ngroups_max', 'kernel/osrelease', 'kernel/ostype', 'kernel/pid_max'],
  ...['kernel/randomize_va_space', 'kernel/threads-max', 'kernel/version', 'net/core/somaxconn'],
  ...['vm/max_map_count', 'vm/mmap_min_addr', 'vm/overcommit_memory', 'vm/overcommit_ratio'],
]

/**
 * Files of a network that describe all networks: memory, packets by processor, tables, numbers of sockets. `unix` has
 * the sockets' addresses in the kernel, in which a run could leave an order to a later one.
 */
const networkWide = ['netlink', 'protocols', 'rt_acct', 'sockstat', 'sockstat6', 'softnet_stat', 'stat', 'unix']

/** The number of processors and the amount of memory are not secret: programs are sized by them. */
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
    // A processor's speed changes with its load.
    cpuinfo: readProc('cpuinfo').replaceAll(/^(cpu MHz\s*:).*$/gm, '$1 1000.000'),
    loadavg: '0.00 0.00 0.00 1/1 1\n',
    uptime: '0.00 0.00\n',
  }
}

/**
 * Writes the replacement files, and returns the arguments that mount them, once /proc is mounted. `folder`: in memory,
 * since a disk's file system remembers names that were looked up in vain. `ownsNetwork`: the box has its own network,
 * whose files belong to root.
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

/** Listing /proc with file types fails if a process ends meanwhile. */
const foldersOfTheKernel = (): string[] =>
  readdirSync('/proc').filter((name) => !/^\d/.test(name) && lstatSync(`/proc/${name}`).isDirectory())

/**
 * These are in the folder of every process, where nothing can be mounted; but a network's files have their own modes.
 */
const closeNetworkFiles = (): string[] =>
  networkWide
    .map((name) => `/proc/self/net/${name}`)
    .filter((path) => existsSync(path))
    .flatMap((path) => ['--chmod', '0500', path])

/** Other files need no mount: a program is neither root nor privileged, and each mount takes time. */
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
