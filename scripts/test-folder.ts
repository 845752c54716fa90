/** Where tests keep their files: in memory, where there is enough of it. A disk takes some 3 ms to sync, and tests wait for that most of all. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const gibibyte = 1024 ** 3

/** Answers a new folder, or undefined where the system's own is to be used. */
export function makeTestFolder(): string | undefined {
  if (process.env.TMPDIR || !hasSpace()) return undefined
  return makeOwnFolder(memory, 'guildhall-tests-')
}

/** One that is this process's; those of runs that were killed are removed. */
export function makeOwnFolder(parent: string, prefix: string): string {
  mkdirSync(parent, { recursive: true })
  removeForgotten(parent, prefix)
  const folder = join(parent, `${prefix}${process.pid}`)
  // PostgreSQL and boxes run as other users.
  mkdirSync(folder, { mode: 0o755 })
  return folder
}

/** All tests together hold less than 2 GiB at a time; programs are started from there. */
function hasSpace(): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const isOpen = mounts.some((line) => line.includes(` ${memory} tmpfs `) && !/[ ,]noexec[ ,]/.test(line))
    const { bavail, bsize } = statfsSync(memory)
    return isOpen && bavail * bsize > 4 * gibibyte && process.availableMemory() > 8 * gibibyte
  } catch {
    return false
  }
}

/** What a run that was killed has left. */
function removeForgotten(parent: string, prefix: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    try {
      process.kill(Number(name.slice(prefix.length)), 0)
    } catch {
      rmSync(join(parent, name), { recursive: true, force: true })
    }
  }
}
