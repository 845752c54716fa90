/** Bare repositories on disk. Each folder is named by the repository's id, so a rename moves nothing. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../../../lib/log.ts'
import { syncFolder } from '../../../lib/sync-folder.ts'
import { asideFolder } from '../../../store/installation/inspection.ts'
import type { Repository } from '../../access/repository.ts'
import { filesAway, notFound } from '../../failures.ts'
import { demandGit } from '../process/process.ts'
import { isRefPart } from '../ref-name.ts'

/** `isWiki` selects the folder of the repository's wiki, which lies beside the repository's own. */
type Named = { readonly id: number; readonly isWiki?: boolean }

/** Whether the repository exists. The row decides, not the folder. */
export type IsKnown = (id: number) => Promise<boolean>

/** An unreadable repository is requested again and again: log it once in this time. */
const complaintMs = 10_000

const syncedAtOnce = 64

type Needs = {
  root: string
  isKnown: IsKnown
  /** Whether the data folder was gone at the last look. */
  isAway: () => boolean
  log: Log
}

export type FoldersNeeds = Needs

export function makeFolders({ root, isKnown, isAway, log }: Needs) {
  let complainedAt = Number.NEGATIVE_INFINITY
  const shardOf = ({ id }: Named) => join(root, (id % 256).toString(16).padStart(2, '0'))
  const endingOf = ({ isWiki = false }: Named) => (isWiki ? '.wiki.git' : '.git')
  const folderOf = (repository: Named) => join(shardOf(repository), repository.id + endingOf(repository))
  /** Folders are made here and renamed into place, so that nobody sees one half made. */
  const drafts = join(root, 'coming')
  /** Deleted repositories are moved here first: everything in this folder may be removed. */
  const trash = join(root, 'deleted')
  const aside = join(root, asideFolder)

  /** The row may have been deleted a moment ago, too. */
  async function refuseMissing(repository: Named, error: NodeJS.ErrnoException): Promise<never> {
    if (!(await isKnown(repository.id))) throw notFound()
    if (performance.now() > complainedAt + complaintMs) {
      complainedAt = performance.now()
      log.error({ err: error, folder: folderOf(repository) }, 'a repository’s folder can not be read')
    }
    throw filesAway()
  }

  async function readHead(repository: Named): Promise<string> {
    if (isAway()) throw filesAway()
    return readFile(join(folderOf(repository), 'HEAD'), 'utf8').catch((error) => refuseMissing(repository, error))
  }

  /** An empty repository that has no row yet. */
  async function draft(branch: string): Promise<string> {
    const folder = join(drafts, randomUUID())
    if (isAway()) throw filesAway()
    // Not recursive: if the data folder is unmounted, nothing may be made in its place.
    await mkdir(folder).catch((error) => {
      throw error.code === 'ENOENT' ? filesAway() : error
    })
    await demandGit(['init', '--bare', '--quiet', '--template=', `--initial-branch=${branch}`], { folder })
    return folder
  }

  async function moveIn(folder: string, repository: Named): Promise<void> {
    const place = folderOf(repository)
    await mkdir(dirname(place)).catch(unless('EEXIST'))
    await rename(folder, place)
  }

  const discard = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 })

  /** Keeps a folder that has no repository in the database: a restored database may not know it any more. */
  async function setAside(repository: Named): Promise<void> {
    const place = folderOf(repository)
    const day = join(aside, new Date().toISOString().slice(0, 10))
    await mkdir(day).catch(unless('EEXIST'))
    const ending = endingOf(repository)
    let kept = join(day, `${repository.id}${ending}`)
    for (let copy = 2; await isThere(kept); copy++) kept = join(day, `${repository.id}-${copy}${ending}`)
    try {
      await rename(place, kept)
    } catch (error) {
      // Another server that starts on the same folder has moved it first.
      return unless('ENOENT')(error)
    }
    await syncFolder(day)
    log.warn({ folder: place, kept }, 'a folder without a repository in the database was set aside; doctor lists it')
  }

  return {
    folderOf,
    draft,
    discard,

    /** Makes the folders that hold all others. Called only at the start, when the data folder is known to be right. */
    async prepareRoot(): Promise<void> {
      for (const folder of [drafts, trash, aside]) await mkdir(folder, { recursive: true })
    },

    /** A repository without a row that borrows the objects of the given ones. Its own objects are discarded with it. */
    async draftBeside(...repositories: readonly Named[]): Promise<string> {
      const folder = join(drafts, randomUUID())
      if (isAway()) throw filesAway()
      const places = repositories.map((repository) => `${join(folderOf(repository), 'objects')}\n`)
      try {
        await mkdir(folder)
        for (const name of ['refs', 'objects', 'objects/info']) await mkdir(join(folder, name))
        await writeFile(join(folder, 'objects/info/alternates'), places.join(''))
        await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
      } catch (error) {
        // Writing fails on a full disk.
        await discard(folder)
        throw error
      }
      return folder
    },

    /** Called before a draft is adopted: its contents must survive a power cut, as the row does. */
    async syncDraft(folder: string): Promise<void> {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      await Promise.all(entries.map(({ parentPath, name }) => syncFile(join(parentPath, name))))
      await syncFolder(folder)
    },

    /** Removes a repository that was deleted on purpose. It may be called twice. */
    async remove({ id }: Named): Promise<void> {
      for (const place of [{ id, isWiki: true }, { id }]) {
        const folder = join(trash, `${id}-${randomUUID()}`)
        await rename(folderOf(place), folder).catch(unless('ENOENT'))
        // Either the folder is gone already, or the whole data folder is away; then it must still be deleted later.
        if (isAway() || !(await isThere(trash))) throw filesAway()
        await discard(folder)
      }
    },

    /** Makes a draft the folder of a new repository, in one rename, within the transaction that inserts the row. */
    async adopt(folder: string, repository: Named): Promise<void> {
      const wiki = { id: repository.id, isWiki: true }
      // A wiki may be left from another repository that had this id before the database was restored.
      if (!repository.isWiki && (await isThere(folderOf(wiki)))) await setAside(wiki)
      try {
        await moveIn(folder, repository)
      } catch (error) {
        unless('ENOTEMPTY', 'EEXIST')(error)
        // The folder is left from a transaction that was rolled back, or from before a restore: its id is given again.
        await setAside(repository)
        await moveIn(folder, repository)
      }
      await Promise.all([syncFolder(shardOf(repository)), syncFolder(root)])
    },

    /** The same, but keeps the folder that is there if another call was faster. */
    async adoptIfNone(folder: string, repository: Named): Promise<void> {
      await moveIn(folder, repository).catch(unless('ENOTEMPTY', 'EEXIST'))
      await Promise.all([syncFolder(shardOf(repository)), syncFolder(root)])
    },

    /** Whether the repository has a wiki. The first push to a wiki makes it. */
    hasWiki: ({ id }: Named): Promise<boolean> => isThere(folderOf({ id, isWiki: true })),

    /** Checks that the repository is on disk. */
    async find(repository: Repository): Promise<string> {
      await readHead(repository)
      return folderOf(repository)
    },

    /**
     * Checks that the repository is on disk and points HEAD at the default branch: git's own clients are shown HEAD.
     * Reads must not call this: their row may be old and would put HEAD back.
     */
    async prepare(repository: Repository): Promise<string> {
      const folder = folderOf(repository)
      const wanted = `ref: refs/heads/${repository.defaultBranch}\n`
      if ((await readHead(repository)) !== wanted) {
        const fresh = join(folder, `HEAD.${randomUUID()}`)
        await writeFile(fresh, wanted)
        await rename(fresh, join(folder, 'HEAD'))
      }
      return folder
    },

    /** Git syncs the files it writes, but not the folders that name them: a renamed ref may not survive a power cut. */
    async syncNames(repository: Named, refs: readonly string[]): Promise<void> {
      const folder = folderOf(repository)
      const inside = new Set(['objects/pack', 'objects', '.', ...refs.filter(isRef).flatMap(foldersAbove)])
      const places = [...[...inside].map((place) => join(folder, place)), shardOf(repository), root]
      // A push may name a hundred thousand folders: opened all at once, they would exceed the limit of open files.
      for (let at = 0; at < places.length; at += syncedAtOnce) {
        const some = places.slice(at, at + syncedAtOnce)
        // A packed or deleted ref has no folder of its own.
        await Promise.all(some.map((place) => syncFolder(place).catch(unless('ENOENT', 'ENOTDIR'))))
      }
    },

    /** Syncs the folders of loose objects, for the same reason. */
    async syncObjects(repository: Named, shas: readonly string[]): Promise<void> {
      const objects = join(folderOf(repository), 'objects')
      const places = new Set(shas.map((sha) => join(objects, sha.slice(0, 2))))
      // An older object may be in a pack and have no folder.
      await Promise.all(
        [...places, join(objects, 'pack'), objects].map((place) =>
          syncFolder(place).catch(unless('ENOENT', 'ENOTDIR')),
        ),
      )
    },

    /** Removes ref locks left by a killed git: they would block these refs forever. */
    async unlock(repository: Named, refs: readonly string[], before: number): Promise<void> {
      const names = ['HEAD', 'packed-refs', ...refs.filter(isRef)]
      for (const name of names) {
        const path = join(folderOf(repository), `${name}.lock`)
        const lock = await stat(path).catch(() => undefined)
        if (lock && lock.mtimeMs < before) await rm(path, { force: true })
      }
    },

    /**
     * Git receives a push into a folder beside its objects, and leaves it there if a signal ends it. If nobody pushes
     * now, such folders are leftovers.
     */
    async dropIncoming(repository: Named, isPushedTo: () => Promise<boolean>): Promise<void> {
      const objects = join(folderOf(repository), 'objects')
      const left = (await namesIn(objects)).filter((name) => name.startsWith('tmp_objdir-incoming-'))
      if (left.length === 0 || (await isPushedTo())) return
      for (const name of left) await discard(join(objects, name))
    },

    /** Removes the drafts that a crashed server left before this time, and everything that was being deleted. */
    async sweep(before: number): Promise<void> {
      for (const name of await namesIn(drafts)) {
        const left = await stat(join(drafts, name)).catch(() => undefined)
        if (left && left.mtimeMs < before) await discard(join(drafts, name))
      }
      for (const name of await namesIn(trash)) await discard(join(trash, name))
    },

    /** Sets aside every folder whose repository is not among those that `listWanted` returns for its ids. */
    async setAsideUnwanted(listWanted: (ids: readonly number[]) => Promise<readonly number[]>): Promise<void> {
      for (const shard of (await namesIn(root)).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
        const names = await namesIn(join(root, shard))
        const found = names.map((name) => Number(/^([1-9]\d*)(?:\.wiki)?\.git$/.exec(name)?.[1]))
        const ids = [...new Set(found)].filter((id) => id > 0)
        while (ids.length > 0) {
          const some = ids.splice(0, 500)
          const wanted = new Set(await listWanted(some))
          for (const id of some.filter((one) => !wanted.has(one)))
            for (const isWiki of [true, false]) await setAside({ id, isWiki })
        }
      }
    },
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Ignores errors of these codes. */
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
