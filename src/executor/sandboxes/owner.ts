/**
 * Owners: an executor marks what it creates with its identity, so that the next one recognises leftovers of a dead one.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { readStat } from './processes.ts'

let drawn = 0

/** Pids are reused; with the boot, the pid namespace and the start time one identifies a process forever. */
export function generateOwner(): string {
  return `${bootName()}-${pidNamespace()}-${process.pid}-${startTime(process.pid)}-${drawn++}`
}

/** A process of another pid namespace is invisible from here, and counts as alive. */
export function isOwnerAlive(owner: string): boolean {
  const match = /^([0-9a-f]+)-(\d+)-(\d+)-(\d+)-\d+$/.exec(owner)
  if (!match) return false
  const [, boot, namespace, pid, start] = match
  if (boot !== bootName()) return false
  return namespace !== pidNamespace() || startTime(Number(pid)) === start
}

const bootName = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)
export const pidNamespace = () => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0]

/** The start time in clock ticks since boot; null for a process that has ended or is a zombie. */
function startTime(pid: number): string | null {
  const fields = readStat(pid)
  return fields[0] === 'Z' ? null : (fields[19] ?? null)
}
