/**
 * Wikis: each is a git repository beside its repository's own, created by the first push. Pushes to it trigger no
 * events, and no branch rules apply.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../lib/log.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { filesAway, notFound } from '../failures.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { measureFolder } from './folders/maintenance.ts'
import { removeEmptyFolders } from './folders/ref-folders.ts'
import type { Git } from './process/git.ts'
import { type GitLimits, readBounds, slotsFor } from './process/git-limits.ts'
import { demandGit, gitError, type RunOptions, runGit } from './process/process.ts'
import { currentCaller } from './process/processor-accounting.ts'
import type { PushDecision } from './push/push-rules.ts'
import type { Outcome } from './push/pushes.ts'
import type { RefChange } from './push/ref-change.ts'
import { zeroId } from './ref-name.ts'
import { makeServing } from './serve/serving.ts'

/** The default branch of a wiki, until another is pushed first. */
export const wikiBranch = 'master'

const readersPerCore = 2
const noRules: PushDecision = { refused: new Map(), keeping: new Set(), linear: new Set() }

/** What `git fast-import` says where another commit came first, or is being made. */
const isRace = /Not updating|cannot lock ref|unable to create .*\.lock/i

type Moved = Pick<RefChange, 'ref' | 'after'>

type Needs = {
  store: Store
  git: Git
  limits: GitLimits
  receiveStorage: StorageQuota['receive']
  demandSpace: StorageQuota['demandSpace']
  maxPushBytes: number
  log: Log
}

export type Wikis = ReturnType<typeof makeWikis>

export function makeWikis({ store, git, limits, receiveStorage, demandSpace, maxPushBytes, log }: Needs) {
  const { run: takeTurn } = makeFairScheduler(slotsFor(limits, readersPerCore))
  const bounds = readBounds(limits)
  const placeOf = ({ id }: Repository) => ({ id, isWiki: true })

  async function find(repository: Repository): Promise<string> {
    if (!repository.options.hasWiki || !(await git.hasWiki(repository))) throw notFound()
    return git.folderOf(placeOf(repository))
  }

  /** Made complete and renamed into place: of two concurrent calls one wins. */
  async function make(repository: Repository): Promise<string> {
    if (!repository.options.hasWiki) throw notFound()
    if (await git.hasWiki(repository)) return git.folderOf(placeOf(repository))
    const draft = await git.draft(wikiBranch)
    try {
      await git.syncDraft(draft)
      await git.adoptIfNone(draft, placeOf(repository))
    } finally {
      await git.discard(draft)
    }
    if (!(await git.hasWiki(repository))) throw filesAway()
    return git.folderOf(placeOf(repository))
  }

  /** Runs an act that moves refs of the wiki: they are durable when it is answered, and what it left is counted. */
  async function record(repository: Repository, changes: readonly Moved[], act: () => Promise<unknown>): Promise<void> {
    const folder = git.folderOf(placeOf(repository))
    try {
      await act()
      await pointHead(
        folder,
        changes.filter(({ after }) => after !== zeroId).map(({ ref }) => ref),
      )
      await git.syncNames(
        placeOf(repository),
        changes.map(({ ref }) => ref),
      )
    } finally {
      // Objects of a refused push take up space, too.
      await removeEmptyFolders(folder)
      const sizeKib = await measureFolder(folder)
      await store.write((trx) => noteWikiSize(trx, repository.id, sizeKib))
    }
  }

  const serving = makeServing({
    git: {
      prepare: find,
      async read(repository, words, options: Omit<RunOptions, 'folder'> = {}) {
        const folder = await (words[0] === 'receive-pack' ? make(repository) : find(repository))
        const limitMs = limits.readSeconds * 1000
        return takeTurn(currentCaller(), () => demandGit(words, { bounds, limitMs, ...options, folder }))
      },
    },
    pushes: {
      record: ({ repository }: Access<'write'>, changes: readonly RefChange[], act: () => Promise<Outcome>) =>
        record(repository, changes, act),
      settleArrived: async () => {},
    },
    checkPush: async () => noRules,
    receiveStorage,
    limits,
    maxPushBytes,
    log,
  })

  return {
    serving,

    /**
     * Makes one commit after the newest on the branch of HEAD, from a stream for `git fast-import`. False if the branch
     * has moved meanwhile.
     */
    async commit(repository: Repository, write: (branch: string) => Buffer): Promise<boolean> {
      await demandSpace(repository)
      const folder = await make(repository)
      const limitMs = limits.readSeconds * 1000
      const run = (words: readonly string[], input?: Buffer) =>
        runGit(words, { bounds, limitMs, folder, ...(input && { input }) })
      return takeTurn(currentCaller(), async () => {
        const branch = (await demandGit(['symbolic-ref', 'HEAD'], { bounds, limitMs, folder })).toString().trim()
        let isMade = false
        await record(repository, [{ ref: branch, after: '' }], async () => {
          const words = ['fast-import', '--quiet', '--done']
          const { code, complaint } = await run(words, write(branch))
          isMade = code === 0
          if (!isMade && !isRace.test(complaint)) throw gitError(words, code, complaint)
        })
        return isMade
      })
    },

    /** Undefined where nothing was ever pushed to the wiki. */
    async ask(
      repository: Repository,
      words: readonly string[],
      options: Omit<RunOptions, 'folder'> = {},
    ): Promise<Buffer | undefined> {
      if (!repository.options.hasWiki) throw notFound()
      if (!(await git.hasWiki(repository))) return undefined
      const folder = git.folderOf(placeOf(repository))
      const limitMs = limits.readSeconds * 1000
      return takeTurn(currentCaller(), () => demandGit(words, { bounds, limitMs, ...options, folder }))
    },
  }
}

/** Stores the wiki's new size. */
export async function noteWikiSize(trx: Db, repositoryId: number, sizeKib: number): Promise<void> {
  await trx
    .insertInto('wiki_usage')
    .values({ repository_id: repositoryId, size_kib: sizeKib })
    .onConflict((conflict) => conflict.column('repository_id').doUpdateSet({ size_kib: sizeKib }))
    .execute()
}

/** A clone checks out the branch of HEAD. If that does not exist, HEAD is set to the first of these that does. */
export async function pointHead(folder: string, refs: readonly string[]): Promise<void> {
  const head = (await readFile(join(folder, 'HEAD'), 'utf8')).trim().replace(/^ref: /, '')
  const { code } = await runGit(['show-ref', '--verify', '--quiet', head], { folder })
  if (code === 0) return
  for (const ref of refs.filter((one) => one.startsWith('refs/heads/'))) {
    const found = await runGit(['show-ref', '--verify', '--quiet', ref], { folder })
    if (found.code !== 0) continue
    await demandGit(['symbolic-ref', 'HEAD', ref], { folder })
    return
  }
}
