/**
 * References to issues in the commits of a default branch: a commit that names an issue records `referenced`, one that
 * says `fixes #12` closes it. A push enqueues a job in its own transaction. The job recognises finished work by the
 * events, so running it twice is harmless.
 */

import { theServer } from '../../../accounts/actor.ts'
import type { KeptCredential } from '../../../accounts/kept-credential.ts'
import type { Tokens } from '../../../accounts/tokens.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { contentsWrite, mayDo, type RepositoryNeed } from '../../access/opening.ts'
import { type OpenRepository, readRepositories, selectRepositories, toOpenRepository } from '../../access/repository.ts'
import type { Git } from '../../git/process/git.ts'
import type { Pushes } from '../../git/push/pushes.ts'
import type { Commit } from '../../git/read/commit.ts'
import type { GitReading } from '../../git/read/git-reading.ts'
import { zeroId } from '../../git/ref-name.ts'
import { findReferences } from '../../markup/references.ts'
import { recordEvent } from '../event-recording.ts'
import { placeOf, withIssueLocks } from '../issue-act.ts'
import type { IssueStates } from '../issue-state.ts'
import { type ReferredIssue, resolve } from './resolving.ts'

/** The most commits of a push that are read (the newest), and the most references in them that count. */
export const maxCommits = 1_000
const maxNotes = 1_000
/** How many commits are read at a time, and how much of each message. */
const portion = 50
const maxMessage = 65_536

/**
 * The author of references, their credential, and the commits' repository. Earlier versions' jobs have only the author.
 */
type Said = {
  readonly actorId: number
  readonly credential?: KeptCredential | undefined
  readonly commitRepositoryId?: number | undefined
}

type PushedBranch = {
  readonly repositoryId: number
  readonly pusherId: number
  readonly credential?: KeptCredential | undefined
  readonly before: string
  readonly after: string
}

/** A reference to an issue in a commit. */
type Note = ReferredIssue & { readonly sha: string }

type Applying = { readonly refers: boolean; readonly needsWrite: boolean }

/** The rights for closing an issue of another repository than the one pushed to. */
const closing: RepositoryNeed<'write'> = { ...contentsWrite, permissions: [{ name: 'issues', level: 'write' }] }

type HeldNotes = Said & {
  readonly repositoryId: number
  readonly notes: readonly Note[]
  readonly applying: Applying
}

/** One author's references: part of a job's payload. */
type NotedIssues = Said & { readonly notes: readonly Note[] }

const readingKind = 'forge.commit-references'
const closingKind = 'forge.closings'
/** References to issues of a repository locked by a migration: they wait until it is unlocked. */
const heldKind = 'forge.held-references'
/** For jobs of an earlier version, which do not name the commits' repository; such commits are shown to nobody. */
const unknownPlace = 0
const dayMs = 24 * 60 * 60 * 1000

type Opened = { readonly repository: OpenRepository; readonly mayClose: boolean }

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  git: Git
  reading: GitReading
  pushes: Pushes
  states: IssueStates
  origin: string | undefined
  recall: Tokens['recall']
}

export type CommitReferences = ReturnType<typeof makeCommitReferences>

export function makeCommitReferences({ store, clock, log, jobs, git, reading, pushes, states, origin, recall }: Needs) {
  /**
   * The repository as the credential may see it now. If the credential has ended, as anyone may see it, still
   * respecting a block of the account.
   */
  async function openFor(db: Db, id: number, { actorId, credential }: Said): Promise<Opened | undefined> {
    const actor = await recall(actorId, credential, db)
    if (actor) {
      const repository = (await readRepositories(db, actor, [id])).get(id)
      return repository && { repository, mayClose: mayDo(actor, repository, closing) }
    }
    const row = await selectRepositories(db, actorId).where('repository.id', '=', id).executeTakeFirst()
    return row && { repository: toOpenRepository(row, undefined), mayClose: false }
  }

  /** Oldest first. Commits beyond git's limits are left out. */
  async function* readCommits(repository: OpenRepository, { before, after }: PushedBranch): AsyncGenerator<Commit> {
    const range = before === zeroId ? [after] : [after, `^${before}`]
    const words = ['rev-list', '--reverse', `--max-count=${maxCommits}`, ...range]
    const found = await git.run(repository, words).catch((error) => {
      if (isGone(error)) return undefined
      throw error
    })
    if (found?.code !== 0) return
    const { output } = found
    const shas = output.toString().split('\n').filter(Boolean)
    for (let at = 0; at < shas.length; at += portion)
      try {
        yield* await reading.commits(repository, shas.slice(at, at + portion))
      } catch (error) {
        if (isGone(error)) return
        if (!(error instanceof Failure) || error.kind !== 'invalid') throw error
        log.warn({ err: error, repository: repository.id }, 'commits were not looked through for references')
      }
  }

  async function noteCommits(pushed: PushedBranch): Promise<void> {
    const { repositoryId, pusherId } = pushed
    const said = { actorId: pusherId, credential: pushed.credential, commitRepositoryId: repositoryId }
    const repository = (await readRepositories(store.db, theServer, [repositoryId])).get(repositoryId)
    if (!repository) return
    const notes: Note[] = []
    for await (const { sha, message } of readCommits(repository, pushed)) {
      const found = findReferences(message.slice(0, maxMessage)).filter(({ kind }) => kind === 'issue')
      if (found.length === 0) continue
      const author = { repository, actorId: pusherId, isPublicElsewhere: true }
      for (const issue of await resolve(store.db, author, origin, found)) notes.push({ ...issue, sha })
      if (notes.length >= maxNotes) break
    }
    for (const [id, own] of Map.groupBy(notes, (note) => note.repositoryId)) {
      const isOwn = id === repositoryId
      await applyNotes(id, said, own.slice(0, maxNotes), { refers: true, needsWrite: !isOwn })
    }
  }

  /**
   * Applies the references to one repository's issues in one write. Does nothing if it is archived or blocks the
   * author, or is another repository that has become private; waits if it is locked.
   */
  async function applyNotes(
    repositoryId: number,
    said: Said,
    notes: readonly Note[],
    applying: Applying,
  ): Promise<void> {
    const { refers, needsWrite } = applying
    await store.write(async (trx) => {
      const opened = await openFor(trx, repositoryId, said)
      if (!opened || opened.repository.isArchived || opened.repository.isBlocking) return
      const { repository } = opened
      if (needsWrite && repository.isPrivate) return
      if (repository.isLocked) {
        const held: HeldNotes = { ...said, repositoryId, notes, applying }
        await jobs.enqueue(trx, heldKind, held, { runAt: clock.now() + dayMs })
        return
      }
      const mayClose = !needsWrite || opened.mayClose
      const act = { repository, actorId: said.actorId, appId: null, now: clock.now() }
      for (const { id, isPull, closes, sha } of notes) {
        const told = await listTold(trx, id, sha)
        const place = placeOf(act, id)
        // A merge commit names its pull, which has a `merged` event for it already.
        const cause = { commitSha: sha, commitRepositoryId: said.commitRepositoryId ?? unknownPlace }
        if (refers && told.size === 0) await recordEvent(trx, place, 'referenced', {}, cause)
        const closesIt = closes && mayClose && !isPull && repository.options.hasIssues
        if (closesIt && !told.has('closed')) await states.closeWithin(trx, act, id, cause)
      }
    }, withIssueLocks(repositoryId))
  }

  pushes.consume({
    listLocks: async () => [],
    async process(trx, { repository, pusher, credential, changes }) {
      // Commits of another server name that server's issues.
      if (credential?.kind === 'source') return
      // This push may have made the first branch of an empty repository the default.
      const row = await trx
        .selectFrom('repository')
        .select('default_branch')
        .where('id', '=', repository.id)
        .executeTakeFirst()
      const branch = `refs/heads/${row?.default_branch}`
      const change = changes.find(({ ref, after }) => ref === branch && after !== zeroId)
      if (!change) return
      const { before, after } = change
      const pushed: PushedBranch = { repositoryId: repository.id, pusherId: pusher, credential, before, after }
      await jobs.enqueue(trx, readingKind, pushed)
    },
  })
  jobs.define<PushedBranch>(readingKind, noteCommits)
  jobs.define<HeldNotes>(heldKind, ({ repositoryId, notes, applying, ...said }) =>
    applyNotes(repositoryId, said, notes, applying),
  )
  jobs.define<NotedIssues>(closingKind, async ({ notes, ...said }) => {
    for (const [id, own] of Map.groupBy(notes, (note) => note.repositoryId))
      await applyNotes(id, said, own, { refers: false, needsWrite: true })
  })

  return {
    /** Runs within the write that unlocks a repository. */
    catchUpWithin: (trx: Db): Promise<void> => jobs.hasten(trx, heldKind),

    /** Closes issues in other repositories than the one whose issues the transaction has locked. */
    closeElsewhere: async (trx: Db, said: Said, notes: readonly Note[]): Promise<void> => {
      if (notes.length > 0) await jobs.enqueue(trx, closingKind, { ...said, notes } satisfies NotedIssues)
    },
  }
}

/** The types of events that this commit has recorded on the issue already. */
async function listTold(trx: Db, issueId: number, sha: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('issue_event')
    .select('event')
    .where('issue_id', '=', issueId)
    .where('commit_sha', '=', sha)
    .execute()
  return new Set(rows.map(({ event }) => event))
}

/** The repository was deleted meanwhile, so its commits do not matter. */
const isGone = (error: unknown): boolean => error instanceof Failure && error.kind === 'not-found'
