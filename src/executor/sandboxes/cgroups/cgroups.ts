/** Cgroups: one per box, to measure CPU time and peak memory, limit processes, and kill all of them. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOwnerAlive } from '../owner.ts'
import { type Cgroup, type GroupLimits, type Hierarchy, killProcesses, listProcesses } from './group.ts'
import { findSplitHierarchy } from './version-1.ts'
import { findUnifiedHierarchy } from './version-2.ts'

export type Cgroups = {
  readonly version: 'v1' | 'v2'
  /** The entry files of groups that boxes enter by themselves: the executor's folder in each tree, and the file's name. */
  readonly entrances: Entrances | null
  make(limits: GroupLimits): Cgroup
  close(): Promise<void>
}

export type Entrances = { readonly folders: readonly string[]; readonly file: string }

/** Memory of the kernel and its per-processor reserves that may remain (measured: 0.6 MB at most). */
const mostLeftBytes = 1024 * 1024
const parentName = 'guildhall-boxes'

/** Returns null and the reason if no cgroup can be created: figures are then sampled. */
export function openCgroups(owner: string): { cgroups: Cgroups | null; reason: string } {
  const reasons: string[] = []
  for (const find of [findUnifiedHierarchy, findSplitHierarchy]) {
    const found = find()
    if ('reason' in found) {
      reasons.push(found.reason)
      continue
    }
    try {
      return { cgroups: settle(found.hierarchy, owner), reason: '' }
    } catch (error) {
      reasons.push(`cgroup ${found.hierarchy.version}: ${(error as Error).message}`)
    }
  }
  return { cgroups: null, reason: reasons.join('; ') }
}

function settle(hierarchy: Hierarchy, owner: string): Cgroups {
  const parentFolders = hierarchy.roots.map((root) => join(root, parentName))
  for (const folder of parentFolders) makeFolder(folder)
  for (const folder of parentFolders) hierarchy.prepare(folder)
  sweep(parentFolders)
  const ownFolders = parentFolders.map((family) => makeOwnFolder(family, owner))
  for (const folder of ownFolders) hierarchy.prepare(folder)

  const cgroups: Cgroups = {
    version: hierarchy.version,
    entrances: hierarchy.isOpenToNamespaces ? { folders: ownFolders, file: hierarchy.entryFile } : null,
    make(limits) {
      // Random, since a program can read its group's name: a number would reveal how much is judged.
      const name = `box-${randomBytes(8).toString('hex')}`
      const folders = ownFolders.map((home) => join(home, name))
      for (const folder of folders) mkdirSync(folder)
      hierarchy.limit(folders, limits)
      const group: Cgroup = {
        ...hierarchy.open(folders),
        name,
        isSampled: false,
        entryFiles: folders.map((folder) => join(folder, hierarchy.entryFile)),
        follow() {},
        async admit(pid) {
          for (const entryFile of group.entryFiles) await writeFile(entryFile, String(pid), { flag: 'r+' })
        },
        isEmpty: () => listProcesses(folders[0]!).length === 0,
        isUnused: () => group.isEmpty() && hierarchy.readHeldBytes(folders) <= mostLeftBytes,
        remove: () => removeAll(folders),
      }
      return group
    },
    async close() {
      for (const home of ownFolders) {
        for (const name of listFolders(home)) await removeAll([join(home, name)])
      }
      await removeAll(ownFolders)
    },
  }
  // Tests now whether the limits can be set, not at the first submission.
  void cgroups.make({ memoryBytes: 64 * 1024 * 1024, processes: 16 }).remove()
  return cgroups
}

/**
 * Boxes see its name, so it must not reveal who created it; a group in it does. Another executor's sweep may remove it
 * before that is there.
 */
function makeOwnFolder(family: string, owner: string): string {
  for (;;) {
    const home = join(family, randomBytes(12).toString('hex'))
    mkdirSync(home)
    try {
      mkdirSync(join(home, owner))
      return home
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** Kills leftover processes in the groups of killed executors, and removes the groups. */
function sweep(parentFolders: readonly string[]): void {
  for (const family of parentFolders) {
    for (const home of listFolders(family).map((name) => join(family, name))) {
      if (listFolders(home).some(isOwnerAlive)) continue
      const folders = [...listFolders(home).map((name) => join(home, name)), home]
      for (const folder of folders) killProcesses(folder)
      void (async () => {
        for (const folder of folders) await removeAll([folder])
      })().catch(() => undefined)
    }
  }
}

function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true })
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (let attempt = 0; ; attempt++) {
      try {
        rmdirSync(folder)
        break
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') break
        // On a busy machine, killed processes take a while to end.
        if (code !== 'EBUSY' || attempt === 2_000) throw error
        if (attempt % 100 === 99) killProcesses(folder)
        await sleep(attempt < 10 ? 1 : 10)
      }
    }
  }
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
  } catch {
    return []
  }
}
