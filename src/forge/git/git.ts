/** Bare repositories on disk, one folder each, named by the repository's id: a rename moves nothing. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Repository } from '../repositories/repository.ts'
import { makeGate } from './gate.ts'
import { demandGit, type GitResult, runGit } from './process.ts'
import { isRefPart } from './ref-name.ts'

export type Git = ReturnType<typeof makeGit>

/** Reading commands are short; more at a time than cores only makes each slower. */
const readersPerCore = 4
const staleDraftMs = 60 * 60 * 1000

export function makeGit({ folder: root }: { folder: string }) {
  const gate = makeGate(availableParallelism() * readersPerCore)
  const shardOf = (id: number) => join(root, (id % 256).toString(16).padStart(2, '0'))
  const folderOf = (repository: { id: number }) => join(shardOf(repository.id), `${repository.id}.git`)

  /** Made beside and renamed into place: a folder is whole or not there. */
  async function create(repository: Repository): Promise<void> {
    const draft = join(root, 'coming', randomUUID())
    await mkdir(draft, { recursive: true })
    await mkdir(shardOf(repository.id), { recursive: true })
    const branch = `--initial-branch=${repository.defaultBranch}`
    await demandGit(['init', '--bare', '--quiet', '--template=', branch], { folder: draft })
    await rename(draft, folderOf(repository)).catch(async (error) => {
      await rm(draft, { recursive: true, force: true })
      // Another request was first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  }

  /** There, and with its HEAD on the default branch: the row is what counts, the folder follows it. */
  async function prepare(repository: Repository): Promise<string> {
    const folder = folderOf(repository)
    const wanted = `ref: refs/heads/${repository.defaultBranch}\n`
    const head = await readFile(join(folder, 'HEAD'), 'utf8').catch(() => undefined)
    if (head === undefined) await create(repository)
    else if (head !== wanted) {
      const draft = join(folder, `HEAD.${randomUUID()}`)
      await writeFile(draft, wanted)
      await rename(draft, join(folder, 'HEAD'))
    }
    return folder
  }

  async function run(
    repository: Repository,
    words: readonly string[],
    input?: string | Buffer,
    config: Record<string, string> = {},
  ): Promise<GitResult> {
    const folder = await prepare(repository)
    return gate(() => runGit(words, { folder, config, input }))
  }

  return {
    folderOf,
    prepare,
    run,

    /** Runs and takes nothing but success. */
    async read(
      repository: Repository,
      words: readonly string[],
      input?: string | Buffer,
      limitMs?: number,
    ): Promise<Buffer> {
      const folder = await prepare(repository)
      return gate(() => demandGit(words, { folder, input, limitMs }))
    },

    async hasBranch(repository: Repository, name: string): Promise<boolean> {
      const { code } = await run(repository, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`])
      return code === 0
    },

    /** git syncs what it writes, not the names it gives it: a ref that is renamed into place may not outlive a power cut. */
    async syncNames(repository: { id: number }, refs: readonly string[]): Promise<void> {
      const folder = folderOf(repository)
      const places = new Set(['objects/pack', 'objects', '.', ...refs.filter(isRef).flatMap(foldersAbove)])
      for (const place of places) await syncFolder(join(folder, place))
    },

    /** Takes away the locks of refs that a killed git has left, or nobody could ever move them again. */
    async unlock(repository: { id: number }, refs: readonly string[], before: number): Promise<void> {
      const names = ['HEAD', 'packed-refs', ...refs.filter(isRef)]
      for (const name of names) {
        const path = join(folderOf(repository), `${name}.lock`)
        const lock = await stat(path).catch(() => undefined)
        if (lock && lock.mtimeMs < before) await rm(path, { force: true })
      }
    },

    remove: (id: number): Promise<void> => rm(folderOf({ id }), { recursive: true, force: true, maxRetries: 3 }),

    /** Folders of repositories that are no more, and half-made ones, left when a server died. */
    async sweep(isKnown: (id: number) => Promise<boolean>): Promise<void> {
      const coming = join(root, 'coming')
      for (const name of await readdir(coming).catch(() => [])) {
        const { mtimeMs } = await stat(join(coming, name))
        if (mtimeMs < Date.now() - staleDraftMs) await rm(join(coming, name), { recursive: true, force: true })
      }
      for (const shard of await readdir(root).catch(() => [])) {
        for (const name of await readdir(join(root, shard)).catch(() => [])) {
          const id = Number(/^(\d+)\.git$/.exec(name)?.[1])
          if (id > 0 && !(await isKnown(id))) await rm(join(root, shard, name), { recursive: true, force: true })
        }
      }
    },
  }
}

const isRef = (ref: string): boolean => ref.startsWith('refs/') && isRefPart(ref)

/** `refs/heads/a`, `refs/heads` and `refs` for `refs/heads/a/b`. */
function foldersAbove(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(1).map((_, i) => parts.slice(0, -1 - i).join('/'))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined)
  // A ref that is packed or deleted has no folder of its own.
  if (!folder) return
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
