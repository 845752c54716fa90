/** The traffic of a talking box's processes, and whether any of them still holds its end of a pipe. */
import { readdirSync, statSync } from 'node:fs'
import { listChildren, readProc, readStat } from '../processes.ts'

/** Bytes of all read and write calls, on any file. */
export type Traffic = { readonly read: number; readonly written: number }

export type FileIdentity = { readonly dev: number; readonly ino: number }

/** With more descriptors it counts as holding the pipe: a program may have a thousand in each of its processes. */
const mostDescriptors = 2_000

export const identify = (path: string): FileIdentity => {
  const { dev, ino } = statSync(path)
  return { dev, ino }
}

/**
 * Of the first process and all below it: an ended one's traffic was added to its parent's. Null if the kernel does not
 * count it.
 */
export function readTraffic(first: number | null): Traffic | null {
  if (first === null) return null
  let read = 0
  let written = 0
  let isKnown = false
  for (const pid of [first, ...listBelow(first)]) {
    const text = readProc(`${pid}/io`)
    isKnown ||= text !== ''
    read += Number(/^rchar: (\d+)$/m.exec(text)?.[1] ?? 0)
    written += Number(/^wchar: (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  return isKnown ? { read, written } : null
}

/** Whether a process of the box has this pipe open, not counting the first, which starts the program. */
export function isHeldBelow(first: number | null, pipe: FileIdentity): boolean {
  if (first === null) return true
  const pids = listBelow(first).filter((pid) => !hasEnded(pid))
  // It has not closed its output but ended, which the launch script reports in a moment.
  if (pids.length === 0) return true
  // Nearly always the pipe is its output.
  if (pids.some((pid) => isPipe(`/proc/${pid}/fd/1`, pipe))) return true
  let looked = 0
  for (const pid of pids) {
    for (const path of listDescriptors(pid)) {
      if (++looked > mostDescriptors || isPipe(path, pipe)) return true
    }
  }
  return false
}

/** A zombie has no descriptors, nor has a process that is about to become one (PF_EXITING). */
function hasEnded(pid: number): boolean {
  const [state, , , , , , flags] = readStat(pid)
  return state === undefined || state === 'Z' || state === 'X' || (Number(flags) & exiting) !== 0
}

const exiting = 0x4

function listBelow(pid: number): number[] {
  const all: number[] = []
  const waiting = [pid]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const children = listChildren(next)
    all.push(...children)
    waiting.push(...children)
  }
  return all
}

function isPipe(path: string, pipe: FileIdentity): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.ino === pipe.ino && found.dev === pipe.dev
}

function listDescriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => `/proc/${pid}/fd/${name}`)
  } catch {
    return []
  }
}
