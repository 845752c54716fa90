/** What a server process holds: processes below it, descriptors by kind, memory. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export type Holdings = {
  /** The names of the processes that it has started and that still run. */
  readonly children: readonly string[]
  readonly sockets: number
  readonly pipes: number
  readonly files: number
  readonly residentBytes: number
}

export function inspect(pid: number): Holdings {
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`))
  const count = (start: string) => links.filter((link) => link.startsWith(start)).length
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return {
    children: listChildren(pid),
    sockets: count('socket:'),
    pipes: count('pipe:'),
    files: count('/'),
    residentBytes: Number(resident) * 1024,
  }
}

/** It may be closed between the list and the look. */
function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/**
 * Direct ones of any thread: what they start in their turn ends with them or is reparented, and is looked for by its name.
 * The spawner of gits stays for a while, and none of its own may.
 */
function listChildren(pid: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, command, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readStat(name)) ?? []
      if (parent !== String(pid)) return []
      return isSpawner(name) ? listChildren(Number(name)) : [command!]
    })
}

function isSpawner(pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('spawner-process')
  } catch {
    return false
  }
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}
