/**
 * What commits on a default branch say of issues: one that names an issue leaves `referenced`, one that says `fixes #12`
 * closes it. A push enqueues the work in its own transaction; what is done already is known by its events, so that a job
 * that runs twice does nothing twice.
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
import type { Reading } from '../../git/read/reading.ts'
import { zeroId } from '../../git/ref-name.ts'
import { findReferences } from '../../markup/references.ts'
import { recordEvent } from '../event-recording.ts'
import { aloneOnIssues, placeOf } from '../issue-act.ts'
import type { IssueStates } from '../issue-state.ts'
import { type ReferredIssue, resolve } from './resolving.ts'

/** Of a push so many commits are read, the newest ones, and so many references in them count. */
export const maxCommits = 1_000
const maxNotes = 1_000
/** Commits are read so many at a time, and of each message so much. */
const portion = 50
const maxMessage = 65_536

/** Who says it, by which credential, and in commits of which repository. Jobs of versions before know only who. */
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

/** What one commit says of one issue. */
type Note = ReferredIssue & { readonly sha: string }

type Applying = { readonly refers: boolean; readonly needsWrite: boolean }

/** Closing an issue of another repository than the one that was pushed to. */
const closing: RepositoryNeed<'write'> = { ...contentsWrite, permissions: [{ name: 'issues', level: 'write' }] }

type HeldNotes = Said & {
  readonly repositoryId: number
  readonly notes: readonly Note[]
  readonly applying: Applying
}

/** Notes that somebody makes: part of a job's payload. */
type NotedIssues = Said & { readonly notes: readonly Note[] }

const readingKind = 'forge.commit-references'
const closingKind = 'forge.closings'
/** What was said of issues of a repository that a migration held: it waits until none does. */
const heldKind = 'forge.held-references'
/** Of commits that a job of a version before tells of; nobody sees them. */
const unknownPlace = 0
const dayMs = 24 * 60 * 60 * 1000

type Opened = { readonly repository: OpenRepository; readonly mayClose: boolean }

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  git: Git
  reading: Reading
  pushes: Pushes
  states: IssueStates
  origin: string | undefined
  recall: Tokens['recall']
}

export type CommitReferences = ReturnType<typeof makeCommitReferences>

export function makeCommitReferences({ store, clock, log, jobs, git, reading, pushes, states, origin, recall }: Needs) {
  /** As it is now to the credential that it was said by; to one that is over as to anyone, but for a block of the account. */
  async function openFor(db: Db, id: number, { actorId, credential }: Said): Promise<Opened | undefined> {
    const actor = await recall(actorId, credential, db)
    if (actor) {
      const repository = (await readRepositories(db, actor, [id])).get(id)
      return repository && { repository, mayClose: mayDo(actor, repository, closing) }
    }
    const row = await selectRepositories(db, actorId).where('repository.id', '=', id).executeTakeFirst()
    return row && { repository: toOpenRepository(row, undefined), mayClose: false }
  }

  /** Oldest first. What the bounds of git don't let through is left out. */
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
   * Of one repository, in one write. Where it is archived or blocks who says it, nothing is said; where it is locked, later.
   * Another repository that became private meanwhile is left alone, too.
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
        // The commit that a merge makes names its pull, which was told of it as merged.
        const cause = { commitSha: sha, commitRepositoryId: said.commitRepositoryId ?? unknownPlace }
        if (refers && told.size === 0) await recordEvent(trx, place, 'referenced', {}, cause)
        const closesIt = closes && mayClose && !isPull && repository.options.hasIssues
        if (closesIt && !told.has('closed')) await states.closeWithin(trx, act, id, cause)
      }
    }, aloneOnIssues(repositoryId))
  }

  pushes.consume({
    alone: async () => [],
    async settle(trx, { repository, pusher, credential, changes }) {
      // The first branch of an empty repository becomes the default one by this very push.
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
    /** A repository is locked no longer: part of that act. */
    catchUpWithin: (trx: Db): Promise<void> => jobs.hasten(trx, heldKind),

    /** For closings in other repositories than the one whose issues the transaction is alone on. */
    closeElsewhere: async (trx: Db, said: Said, notes: readonly Note[]): Promise<void> => {
      if (notes.length > 0) await jobs.enqueue(trx, closingKind, { ...said, notes } satisfies NotedIssues)
    },
  }
}

/** What the commit's events on this issue are already. */
async function listTold(trx: Db, issueId: number, sha: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('issue_event')
    .select('event')
    .where('issue_id', '=', issueId)
    .where('commit_sha', '=', sha)
    .execute()
  return new Set(rows.map(({ event }) => event))
}

/** The repository was deleted meanwhile: there is nothing left to be said of its commits. */
const isGone = (error: unknown): boolean => error instanceof Failure && error.kind === 'not-found'
