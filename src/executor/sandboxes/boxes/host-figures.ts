/**
 * What a box sees of the host's figures in /proc: load, memory, interrupts, disks and the like tell of neighbours, and could
 * be signals between boxes. In their place are files that never change; those that runtimes read have what these look for.
 */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'

const hidden = [
  ...['buddyinfo', 'cgroups', 'diskstats', 'interrupts', 'key-users', 'latency_stats', 'locks', 'pagetypeinfo'],
  ...['sched_debug', 'schedstat', 'slabinfo', 'softirqs', 'swaps', 'timer_list', 'vmallocinfo', 'vmstat', 'zoneinfo'],
  // Folders: pressure stalls, file systems and their journals, interrupts, and the counts of open files and inodes.
  ...['pressure', 'fs', 'irq', 'sys/fs', 'sys/kernel/pty'],
]

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
    loadavg: '0.00 0.00 0.00 1/1 1\n',
    uptime: '0.00 0.00\n',
  }
}

/** Writes what stands in for them, and answers the arguments that put it there, once /proc is mounted. */
export function hideHostFigures(folder: string): string[] {
  const place = join(folder, 'figures')
  mkdirSync(place, { mode: 0o755 })
  const empty = join(place, 'empty')
  writeFileSync(empty, '', { mode: 0o644 })
  const put = Object.entries(standIns()).flatMap(([name, text]) => {
    const path = join(place, name)
    writeFileSync(path, text, { mode: 0o644 })
    return ['--ro-bind', path, `/proc/${name}`]
  })
  for (const name of hidden) {
    const path = `/proc/${name}`
    if (!existsSync(path)) continue
    if (statSync(path).isDirectory())
      put.push('--perms', '0555', '--size', '4096', '--tmpfs', path, '--remount-ro', path)
    else put.push('--ro-bind', empty, path)
  }
  return put
}
