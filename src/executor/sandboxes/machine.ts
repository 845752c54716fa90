/** Finds programs on this machine, and the version of bubblewrap. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

export function findOnPath(name: string, path = process.env.PATH ?? ''): string | null {
  if (isAbsolute(name)) return isExecutable(name) ? name : null
  // A service may run with an almost empty PATH, so the usual folders are searched too.
  for (const folder of [...path.split(delimiter), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']) {
    if (folder !== '' && isExecutable(join(folder, name))) return join(folder, name)
  }
  return null
}

/** The minor version, since every release of bubblewrap is 0.x; a later 1.x counts as newer than all of them. */
export function readBwrapVersion(bwrap: string): number {
  const match = /(\d+)\.(\d+)/.exec(execFileSync(bwrap, ['--version'], { encoding: 'utf8' }))
  return match ? Number(match[1]) * 1000 + Number(match[2]) : 0
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
