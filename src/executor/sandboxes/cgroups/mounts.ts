/** Finds where cgroup trees are mounted on this machine, and where in them this program may create groups. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type CgroupMount = {
  readonly type: 'cgroup' | 'cgroup2'
  readonly controllers: readonly string[]
  readonly path: string
  /** The folders to try, best first. */
  readonly candidates: readonly string[]
}

/**
 * root creates its groups at the top, where the next executor finds leftovers of a killed one; others create them below
 * their own group.
 */
export function listCgroupMounts(
  mountInfo = readFileSync('/proc/self/mountinfo', 'utf8'),
  membership = readFileSync('/proc/self/cgroup', 'utf8'),
  isRoot = process.getuid?.() === 0,
): CgroupMount[] {
  const mounts: CgroupMount[] = []
  for (const line of mountInfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ')
    const [, , , root = '/', path = ''] = left.split(' ')
    const [type, , options = ''] = right.split(' ')
    if (type !== 'cgroup' && type !== 'cgroup2') continue
    const controllers = type === 'cgroup' ? options.split(',').filter((word) => word !== 'rw') : []
    const own = ownPath(membership, controllers, root)
    const ancestors = own === null ? [] : ancestorsOf(join(path, own), path)
    mounts.push({ type, controllers, path, candidates: isRoot ? [path] : ancestors })
  }
  return mounts
}

function ownPath(membership: string, controllers: readonly string[], root: string): string | null {
  for (const line of membership.split('\n')) {
    const match = /^\d+:([^:]*):(.*)$/.exec(line)
    if (!match) continue
    const names = match[1]!.split(',').filter(Boolean)
    const isSame = controllers.length === 0 ? names.length === 0 : names.some((name) => controllers.includes(name))
    if (!isSame) continue
    const path = match[2]!
    return root !== '/' && path.startsWith(root) ? path.slice(root.length) || '/' : path
  }
  return null
}

function ancestorsOf(folder: string, top: string): string[] {
  const folders = [folder]
  while (folders.at(-1) !== top && folders.at(-1) !== '/') folders.push(dirname(folders.at(-1)!))
  return folders
}
