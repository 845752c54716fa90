/** Pushes: each is recorded before git moves a ref and settled after, so that none is lost if the server dies. */

import type { Selectable } from 'kysely'
import { theServer } from '../../../accounts/actor.ts'
import { type KeptCredential, keepCredential } from '../../../accounts/kept-credential.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { PushTable } from '../../../store/schema/forge-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Opening, PushAccess } from '../../access/opening.ts'
import type { Repository } from '../../access/repository.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import type { Maintenance } from '../folders/maintenance.ts'
import { maintainKind, reclaimAfterMs, reclaimKind } from '../folders/maintenance.ts'
import { removeEmptyFolders } from '../folders/ref-folders.ts'
import type { Git } from '../process/git.ts'
import { isBranchName, zeroId } from '../ref-name.ts'
import type { RefChange } from './ref-change.ts'

export type Push = {
  readonly id: number
  readonly repository: Repository
  readonly pusher: number
  /** The credential of the push: whatever the push triggers has no more rights. */
  readonly credential: KeptCredential | undefined
  readonly changes: readonly RefChange[]
}

/** The pusher and their credential; without one if the server itself moves a ref in somebody's name. */
export type Pusher = { readonly id: number; readonly credential?: KeptCredential | undefined }

/** The refs that moved, or 'look' if only git's refs can tell. */
export type Outcome = ReadonlySet<string> | 'look'

export type PushConsumer = {
  /** The keys that the settling write must hold exclusively. */
  listLocks(push: Push): Promise<readonly string[]>
  /**
   * Runs within the settling write: its effects exist exactly if the push does. `changes` are those that happened;
   * `locks` are those that `listLocks` answered, or empty if it was not called.
   */
  process(trx: Db, push: Push, locks: readonly string[]): Promise<void>
}

export type RecordOptions = {
  /** Runs within the write that records the push (its rows refer to the push). Both are undone if no ref moves. */
  readonly within?: (trx: Db, pushId: number) => Promise<void>
  /** The options of `git push -o`. */
  readonly options?: readonly string[]
  /** In place of the actor's, if others wrote what is pushed. */
  readonly credential?: KeptCredential | undefined
}

type Needs = {
  store: Store
  clock: Clock
  log: Log
  git: Git
  jobs: Jobs
  activity: ActivityRecord
  opening: Opening
  tidying: Maintenance
}

/**
 * How often an open push renews its heartbeat (`created_at`, until it is settled), and after how long without one it
 * counts as dead.
 */
const signMs = 60_000
const deadAfterMs = 3 * signMs
/** After a server was killed, its git may still be running: only after this long is the push given up. */
const lostAfterMs = 10 * signMs

export const recoveryKind = 'forge.pushes'

export type Pushes = ReturnType<typeof makePushes>

export function makePushes({ store, clock, log, git, jobs, activity, opening, tidying }: Needs) {
  const startedAt = clock.now()
  const signs = new Map<number, NodeJS.Timeout>()
  const consumers: PushConsumer[] = []

  async function insert(
    trx: Db,
    pusher: Pusher,
    repository: Repository,
    changes: readonly RefChange[],
    options: readonly string[] = [],
  ): Promise<Push> {
    const { credential } = pusher
    const { id } = await trx
      .insertInto('push')
      .values({
        repository_id: repository.id,
        pusher_id: pusher.id,
        state: 'receiving',
        changes: JSON.stringify(changes),
        options: options.length > 0 ? JSON.stringify(options) : null,
        credential: credential ? JSON.stringify(credential) : null,
        created_at: clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, repository, pusher: pusher.id, credential, changes }
  }

  async function begin(
    pusher: Pusher,
    repository: Repository,
    changes: readonly RefChange[],
    { within, options }: RecordOptions,
  ): Promise<Push> {
    const push = await store.write(async (trx) => {
      const inserted = await insert(trx, pusher, repository, changes, options)
      await within?.(trx, inserted.id)
      return inserted
    })
    const { id } = push
    const sign = () =>
      store
        .write((trx) => trx.updateTable('push').set({ created_at: clock.now() }).where('id', '=', id).execute())
        .catch((error) => log.warn({ err: error, push: id }, 'a push could give no sign of life'))
    signs.set(id, setInterval(sign, signMs).unref())
    return push
  }

  function stopSigns(id: number): void {
    clearInterval(signs.get(id))
    signs.delete(id)
  }

  /** Compares with git's refs: for clients that want no report, and for pushes whose end was not seen. */
  async function look({ repository, changes }: Push): Promise<Set<string>> {
    const output = await git.read(repository, ['for-each-ref', '--format=%(objectname) %(refname)'])
    const lines = output.toString('utf8').split('\n').filter(Boolean)
    const now = new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]))
    return new Set(changes.filter(({ ref, after }) => (now.get(ref) ?? zeroId) === after).map(({ ref }) => ref))
  }

  const reclaimLater = (trx: Db, { id }: Repository): Promise<number> =>
    jobs.enqueue(trx, reclaimKind, { repositoryId: id }, { key: String(id), runAt: clock.now() + reclaimAfterMs })

  async function settle(
    trx: Db,
    push: Push,
    {
      changes,
      sizeKib,
      locks = [],
    }: { changes: readonly RefChange[]; sizeKib: number; locks?: readonly (readonly string[])[] },
  ): Promise<void> {
    const { repository } = push
    const now = clock.now()
    const open = await trx
      .updateTable('push')
      .set({ state: 'received', changes: JSON.stringify(changes), created_at: now })
      .where('id', '=', push.id)
      .where('state', '=', 'receiving')
      .returning('id')
      .executeTakeFirst()
    if (!open) return
    const firstBranch = chooseDefault(repository, changes)
    // Only now is it known whether this push is the first: another may have come since, or a default been chosen.
    if (repository.lastPushId === 0 && firstBranch !== undefined) {
      await trx
        .updateTable('repository')
        .set({ default_branch: firstBranch })
        .where('id', '=', repository.id)
        .where('last_push_id', '=', 0)
        .where('default_branch', '=', repository.defaultBranch)
        .execute()
    }
    const renamed = findRenamed(repository, changes)
    if (renamed !== undefined) {
      await trx
        .updateTable('repository')
        .set({ default_branch: renamed })
        .where('id', '=', repository.id)
        .where('default_branch', '=', repository.defaultBranch)
        .execute()
    }
    await trx
      .updateTable('repository')
      .set({
        last_push_id: push.id,
        pushed_at: now,
        updated_at: now,
        size_kib: sizeKib,
      })
      .where('id', '=', repository.id)
      .execute()
    const { pusher: actorId, id: subjectId } = push
    await activity.record(trx, { kind: 'push', actorId, repositoryId: repository.id, subjectId })
    for (const [i, consumer] of consumers.entries()) await consumer.process(trx, { ...push, changes }, locks[i] ?? [])
    await jobs.enqueue(trx, maintainKind, { repositoryId: repository.id }, { key: String(repository.id) })
    if (changes.some(({ after }) => after === zeroId)) await reclaimLater(trx, repository)
  }

  /** Answers whether any ref moved. */
  async function settleMoved(push: Push, moved: ReadonlySet<string>): Promise<boolean> {
    const changes = push.changes.filter(({ ref }) => moved.has(ref))
    if (changes.length === 0) return false
    const [sizeKib] = await Promise.all([
      tidying.measure(push.repository),
      git.syncNames(
        push.repository,
        changes.map(({ ref }) => ref),
      ),
    ])
    const locks = await Promise.all(consumers.map((consumer) => consumer.listLocks(push)))
    await store.write((trx) => settle(trx, push, { changes, sizeKib, locks }), { locks: locks.flat() })
    return true
  }

  /** Deletes a push that moved no ref. The objects that git received stay for a while, and count. */
  async function drop({ id, repository, changes }: Push): Promise<void> {
    const brings = changes.some(({ after }) => after !== zeroId)
    // If it cannot be measured, the repository is deleted or away; the next push measures it again.
    const sizeKib = brings ? await tidying.measure(repository).catch(() => undefined) : undefined
    await store.write(async (trx) => {
      await trx.deleteFrom('push').where('id', '=', id).where('state', '=', 'receiving').execute()
      if (sizeKib === undefined || sizeKib === repository.sizeKib) return
      await trx
        .updateTable('repository')
        .set({ size_kib: sizeKib })
        .where('id', '=', repository.id)
        // A later push has measured it later.
        .where('last_push_id', '<', id)
        .execute()
      await reclaimLater(trx, repository)
    })
  }

  async function isPushedTo({ id }: Repository): Promise<boolean> {
    const open = store.db
      .selectFrom('push')
      .select('id')
      .where('repository_id', '=', id)
      .where('state', '=', 'receiving')
    return (await open.executeTakeFirst()) !== undefined
  }

  /** Removes the files that git left of this push and earlier ones. They only take up disk space. */
  const clear = (repository: Repository): Promise<void> =>
    git
      .dropIncoming(repository, () => isPushedTo(repository))
      .then(() => removeEmptyFolders(git.folderOf(repository)))
      .catch((error) => log.warn({ err: error, repository: repository.id }, 'the rest of a push could not be removed'))

  async function finish(push: Push, outcome: Outcome): Promise<void> {
    try {
      const moved = outcome === 'look' ? await look(push) : outcome
      if (!(await settleMoved(push, moved))) await drop(push)
    } finally {
      stopSigns(push.id)
    }
    await clear(push.repository)
  }

  /** Settles pushes without a heartbeat since that time. */
  async function recover(before: number): Promise<void> {
    const rows = await store.db
      .selectFrom('push')
      .selectAll()
      .where('state', '=', 'receiving')
      .where('created_at', '<', before)
      .orderBy('id')
      .execute()
    for (const row of rows) {
      await recoverOne(row).catch((error) => {
        // While the repository's files are away, nobody knows what moved: try again next time.
        if (!(error instanceof Failure) || error.kind !== 'unavailable') throw error
        log.warn({ err: error, push: row.id }, 'a push could not be settled')
      })
    }
  }

  async function recoverOne(row: Selectable<PushTable>): Promise<void> {
    const repository = await opening.find(theServer, { id: row.repository_id })
    if (!repository) return
    const push = toPush(row, repository)
    if (await settleMoved(push, await look(push))) return clear(repository)
    if (row.created_at >= clock.now() - lostAfterMs) return
    const refs = push.changes.map(({ ref }) => ref)
    await git.unlock(repository, refs, clock.now() - lostAfterMs)
    await drop(push)
    await clear(repository)
  }

  jobs.define(recoveryKind, () => recover(clock.now() - deadAfterMs))
  jobs.every(recoveryKind, signMs)

  return {
    /** Registers a consumer; call it before the first push. */
    consume: (consumer: PushConsumer) => void consumers.push(consumer),

    /** Records the push, runs the act, and settles the push by the act's outcome; if the act fails, by git's refs. */
    async record(
      { actor, repository }: PushAccess,
      changes: readonly RefChange[],
      act: () => Promise<Outcome>,
      options: RecordOptions = {},
    ): Promise<void> {
      const pusher = { id: actor.account.id, credential: options.credential ?? keepCredential(actor) }
      const push = await begin(pusher, repository, changes, options)
      let outcome: Outcome = 'look'
      try {
        outcome = await act()
      } finally {
        await finish(push, outcome)
      }
    },

    /** Records a push that git took before anyone could see it, within the write that makes it visible. */
    async recordWithin(
      trx: Db,
      pusher: Pusher,
      repository: Repository,
      changes: readonly RefChange[],
      sizeKib: number,
    ): Promise<void> {
      await settle(trx, await insert(trx, pusher, repository, changes), { changes, sizeKib })
    },

    /**
     * A client without an answer pushes again, and learns from the refs that its push has arrived: then everything must
     * show it. The server that took it may be dead, and recovery would take some minutes. A push that has moved only
     * some of its refs is left to the server that runs it.
     */
    async settleArrived(repository: Repository): Promise<void> {
      const rows = await store.db
        .selectFrom('push')
        .selectAll()
        .where('state', '=', 'receiving')
        .where('repository_id', '=', repository.id)
        .orderBy('id')
        .execute()
      for (const push of rows.map((row) => toPush(row, repository))) {
        const moved = await look(push)
        if (moved.size === push.changes.length) await settleMoved(push, moved)
      }
    },

    /**
     * Settles the pushes that a dead server left open: with an embedded database, all that are older than this process.
     */
    recover(): Promise<void> {
      const deadSince = clock.now() - deadAfterMs
      return recover(store.engine === 'sqlite' ? Math.max(startedAt, deadSince) : deadSince)
    },
  }
}

export const readCredential = ({ credential }: Selectable<PushTable>): KeptCredential | undefined =>
  credential === null ? undefined : JSON.parse(credential)

const toPush = (row: Selectable<PushTable>, repository: Repository): Push => ({
  id: row.id,
  repository,
  pusher: row.pusher_id,
  credential: readCredential(row),
  changes: JSON.parse(row.changes) as RefChange[],
})

/** The first push chooses the default branch if it does not push the one that is named. */
function chooseDefault(repository: Repository, changes: readonly RefChange[]): string | undefined {
  const branches = changes
    .filter(({ ref, after }) => ref.startsWith('refs/heads/') && after !== zeroId)
    .map(({ ref }) => ref.slice('refs/heads/'.length))
  if (branches.length === 0 || branches.includes(repository.defaultBranch)) return undefined
  return branches.find(isBranchName)
}

/** A push that replaces the default branch by one other at its commit renames it. Git's clients cannot do that. */
function findRenamed({ defaultBranch }: Repository, changes: readonly RefChange[]): string | undefined {
  const gone = changes.find(({ ref, after }) => ref === `refs/heads/${defaultBranch}` && after === zeroId)
  const come = changes.find(({ ref, before }) => ref.startsWith('refs/heads/') && before === zeroId)
  if (!gone || !come || changes.length !== 2 || come.after !== gone.before) return undefined
  return come.ref.slice('refs/heads/'.length)
}
