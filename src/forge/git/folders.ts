/** Bare repositories on disk, one folder each, named by the repository's id: a rename moves nothing. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../base/sync-folder.ts'
import { notFound } from '../faults.ts'
import type { Repository } from '../repositories/repository.ts'
import { demandGit } from './process.ts'
import { isRefPart } from './ref-name.ts'

type Named = { readonly id: number }

/** Whether there is such a repository. The row is what counts, the folder follows it. */
export type IsKnown = (id: number) => Promise<boolean>

export function makeFolders({ root, isKnown }: { root: string; isKnown: IsKnown }) {
  const shardOf = ({ id }: Named) => join(root, (id % 256).toString(16).padStart(2, '0'))
  const folderOf = (repository: Named) => join(shardOf(repository), `${repository.id}.git`)
  /** Folders are made here and moved into their place whole, and moved here to be deleted: nobody meets half of one. */
  const coming = join(root, 'coming')
  const aside = () => join(coming, randomUUID())

  /** An empty repository that is nobody's yet. */
  async function draft(branch: string): Promise<string> {
    const folder = aside()
    await mkdir(folder, { recursive: true })
    await demandGit(['init', '--bare', '--quiet', '--template=', `--initial-branch=${branch}`], { folder })
    return folder
  }

  function moveIn(folder: string, repository: Named): void {
    const place = folderOf(repository)
    mkdirSync(dirname(place), { recursive: true })
    renameSync(folder, place)
  }

  const discard = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 })

  async function remove(repository: Named): Promise<void> {
    const folder = aside()
    await mkdir(coming, { recursive: true })
    await rename(folderOf(repository), folder).catch(unless('ENOENT'))
    await discard(folder)
  }

  async function create(repository: Repository): Promise<void> {
    const folder = await draft(repository.defaultBranch)
    try {
      moveIn(folder, repository)
    } catch (error) {
      await discard(folder)
      // Another request may have been first.
      unless('ENOTEMPTY', 'EEXIST')(error)
    }
    // Who deletes a repository takes its row first, then the folder: of the two, one of us sees what the other did.
    if (await isKnown(repository.id)) return
    await remove(repository)
    throw notFound()
  }

  return {
    folderOf,
    draft,
    discard,
    remove,

    /** A draft becomes a new repository's folder: in one step, as part of the transaction that makes the row. */
    adopt(folder: string, repository: Named): void {
      try {
        moveIn(folder, repository)
      } catch (error) {
        unless('ENOTEMPTY', 'EEXIST')(error)
        // It is of a transaction that came to nothing, whose id is given again.
        renameSync(folderOf(repository), aside())
        moveIn(folder, repository)
      }
    },

    /** There, and with its HEAD on the default branch. */
    async prepare(repository: Repository): Promise<string> {
      const folder = folderOf(repository)
      const wanted = `ref: refs/heads/${repository.defaultBranch}\n`
      const head = await readFile(join(folder, 'HEAD'), 'utf8').catch(() => undefined)
      if (head === undefined) await create(repository)
      else if (head !== wanted) {
        const fresh = join(folder, `HEAD.${randomUUID()}`)
        await writeFile(fresh, wanted)
        await rename(fresh, join(folder, 'HEAD'))
      }
      return folder
    },

    /** git syncs what it writes, not the names it gives it: a ref that is renamed into place may not outlive a power cut. */
    async syncNames(repository: Named, refs: readonly string[]): Promise<void> {
      const folder = folderOf(repository)
      const inside = new Set(['objects/pack', 'objects', '.', ...refs.filter(isRef).flatMap(foldersAbove)])
      const places = [...[...inside].map((place) => join(folder, place)), shardOf(repository), root]
      // A ref that is packed or deleted has no folder of its own.
      await Promise.all(places.map((place) => syncFolder(place).catch(unless('ENOENT', 'ENOTDIR'))))
    },

    /** Takes away the locks of refs that a killed git has left, or nobody could ever move them again. */
    async unlock(repository: Named, refs: readonly string[], before: number): Promise<void> {
      const names = ['HEAD', 'packed-refs', ...refs.filter(isRef)]
      for (const name of names) {
        const path = join(folderOf(repository), `${name}.lock`)
        const lock = await stat(path).catch(() => undefined)
        if (lock && lock.mtimeMs < before) await rm(path, { force: true })
      }
    },

    /** What a server that died has left: folders of repositories that are no more, and those it was at, up to then. */
    async sweep(before: number, isWanted: IsKnown): Promise<void> {
      for (const name of await readdir(coming).catch(() => [])) {
        const left = await stat(join(coming, name)).catch(() => undefined)
        if (left && left.mtimeMs < before) await discard(join(coming, name))
      }
      for (const shard of await readdir(root).catch(() => [])) {
        for (const name of await readdir(join(root, shard)).catch(() => [])) {
          const id = Number(/^(\d+)\.git$/.exec(name)?.[1])
          if (id > 0 && !(await isKnown(id)) && !(await isWanted(id))) await remove({ id })
        }
      }
    },
  }
}

/** Lets errors of these kinds pass. */
const unless =
  (...codes: string[]) =>
  (error: unknown): void => {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }

const isRef = (ref: string): boolean => ref.startsWith('refs/') && isRefPart(ref)

/** `refs/heads/a`, `refs/heads` and `refs` for `refs/heads/a/b`. */
function foldersAbove(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, -1 - i).join('/'))
}
