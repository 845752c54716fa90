/** Processes as /proc shows them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Answers an empty text where the file is gone, since a process may end at any moment. */
export function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** The fields of /proc/PID/stat from the state (field 3) on: the name before them may contain anything. */
export function readStat(pid: number): string[] {
  const stat = readProc(`${pid}/stat`)
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

export function listChildren(pid: number): number[] {
  const listed = readProc(`${pid}/task/${pid}/children`)
  if (listed !== '' || hasChildrenFiles()) return listed.split(' ').filter(Boolean).map(Number)
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return all.filter((each) => readStat(each)[1] === String(pid))
}

let areThere: boolean | undefined

/** Some kernels are built without these files. */
function hasChildrenFiles(): boolean {
  areThere ??= existsSync(`/proc/${process.pid}/task/${process.pid}/children`)
  return areThere
}
