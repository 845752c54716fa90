/**
 * Test merges: the merge commit of an open pull, kept under a ref that git can fetch (`pull/1/merge`); none if there is
 * a conflict. Anyone who reads a pull may start one: requests for the same commits share one run, and a merge that took
 * git too long is not retried for a while.
 */
import { LRUCache } from 'lru-cache'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { identityOf, type OpenRepository, type Repository } from '../../access/repository.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { pruneKind } from '../../git/folders/maintenance.ts'
import type { Git } from '../../git/process/git.ts'
import { isObjectId, zeroId } from '../../git/ref-name.ts'
import { signAs } from '../../git/write/commit-text.ts'
import { type Merging, triedKeptMs } from '../../git/write/merging.ts'
import type { People } from '../../people/people.ts'
import { releaseTestUsagesWithin } from '../following/fork-commit-usage.ts'
import { unlessGone } from '../following/pull-following.ts'
import type { PullTurns } from '../following/pull-turns.ts'
import { onGitLimit, retryPeriod } from '../git-limits.ts'
import { type Pull, testRef } from '../pull.ts'
import type { PullEnds } from '../pull-ends.ts'
import { findPull, getPullRows, isOpen, type PullRow, type PullRows } from '../pull-row.ts'

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  activity: ActivityRecord
  git: Git
  merging: Merging
  people: People
  ends: PullEnds
  turns: PullTurns
}

/** Job kind of earlier versions. */
const testKind = 'forge.pull-test-merge'
/** When a base branch moves, this many of its open pulls are tested at once; the others when they are read. */
const triedAtOnce = 50
const mostRemembered = 2_000

export type TestMerging = ReturnType<typeof makeTestMerging>

export function makeTestMerging(needs: Needs) {
  const { store, clock, log, jobs, activity, git, merging, people, ends, turns } = needs
  const { db } = store
  type Try = () => Promise<{ readonly tried: Tried }>
  const memo = new LRUCache<string, { readonly tried: Tried }, Try>({
    max: mostRemembered,
    fetchMethod: (_key, _stale, { context: attempt }) => attempt(),
    // Callers get their answer even if the entry was evicted meanwhile.
    ignoreFetchAbort: true,
  })

  async function findRef(repository: Repository, ref: string): Promise<string> {
    const { code, output } = await git.run(repository, ['show-ref', '--verify', '--hash', ref])
    const sha = output.toString().trim()
    return code === 0 && isObjectId(sha) ? sha : zeroId
  }

  /** Compare-and-swap. Answers false if `before` has changed: the faster writer has seen newer commits. */
  async function moveRef(repository: Repository, ref: string, before: string, after: string): Promise<boolean> {
    if (before === after) return true
    const words = after === zeroId ? ['update-ref', '-d', ref, before] : ['update-ref', ref, after, before]
    return (await git.run(repository, words)).code === 0
  }

  /** Concurrent requests for the same commits share one run. */
  async function tryOnce(repository: Repository, rows: PullRows, base: string): Promise<Tried> {
    const key = JSON.stringify([identityOf(repository), rows.row.head_sha, base, retryPeriod(clock)])
    const attempt = async () => ({
      tried: await tryMerge(repository, rows, base).catch(onGitLimit<Tried>('too-much', 'quota')),
    })
    return (await memo.forceFetch(key, { context: attempt })).tried
  }

  async function tryMerge(repository: Repository, rows: PullRows, base: string): Promise<Tried> {
    const { row, issue } = rows
    const author = await people.getById(issue.author_id).catch(unlessGone)
    const by = signAs({ name: author?.login ?? 'unknown', displayName: author?.name ?? '' }, clock.now())
    const message = `Merge ${row.head_sha} into ${base}`
    const draft = { base, head: row.head_sha, author: by, committer: by, message }
    const tried = await merging.tryMerge(repository, draft, async (sizeKib, made) =>
      made.kind === 'merged' ? ends.countTest(repository, rows, made.sha, sizeKib) : undefined,
    )
    return tried.kind === 'merged' ? tried.sha : null
  }

  /** Reads the ref before the commits, so that nobody who has seen older commits moves it. */
  async function keep(issueId: number): Promise<string | null> {
    const known = await getPullRows(db, issueId)
    const repository = await ends.findRepository(known.row.repository_id)
    if (!repository || repository.isArchived || repository.isLocked) return null
    const ref = testRef(known.issue.number)
    const before = await findRef(repository, ref)
    const rows = await getPullRows(db, issueId)
    const base = isOpen(rows) ? await ends.findTip(repository, rows.row.base_ref) : undefined
    const { row } = rows
    if (!base) {
      const isGone = row.test_base_sha === null && before === zeroId
      if (!isGone && (await moveRef(repository, ref, before, zeroId))) await note(repository, issueId, row, null, null)
      return null
    }
    const isTried = row.test_base_sha === base && row.test_head_sha === row.head_sha
    if (isTried && (row.test_merge_sha ?? zeroId) === before) return row.test_merge_sha
    const sha = await tryOnce(repository, rows, base)
    if (sha === 'too-much') return null
    if (await moveRef(repository, ref, before, sha ?? zeroId)) await note(repository, issueId, row, base, sha)
    else if (sha !== null) await store.write((trx) => pruneLater(trx, repository.id))
    return sha
  }

  async function note(
    repository: Repository,
    issueId: number,
    row: PullRow,
    base: string | null,
    sha: string | null,
  ): Promise<void> {
    await store.write(async (trx) => {
      await trx
        .updateTable('pull')
        .set({ test_merge_sha: sha, test_base_sha: base, test_head_sha: base && row.head_sha })
        .where('issue_id', '=', issueId)
        .where('head_sha', '=', row.head_sha)
        .execute()
      if (row.test_merge_sha !== null) await pruneLater(trx, row.repository_id)
    })
    if (row.test_merge_sha !== null && row.test_merge_sha !== sha)
      await merging.releaseTried(repository, row.test_merge_sha)
  }

  /** Prunes unreachable merges soon: whoever pays for them is not to blame for a moving base. */
  const pruneLater = (trx: Db, repositoryId: number): Promise<number> =>
    jobs.enqueue(trx, pruneKind, { repositoryId }, { key: String(repositoryId), runAt: clock.now() + 2 * triedKeptMs })

  /** A test merge that fails now is tried again when the pull is read. */
  const keepQuietly = (issueId: number): Promise<string | null> =>
    keep(issueId).catch((error) => {
      if (error?.kind !== 'not-found') log.warn({ err: error, issue: issueId }, 'a merge could not be tried')
      return null
    })

  turns.define(['test-merge'], async (issueId) => {
    await keepQuietly(issueId)
    return undefined
  })

  jobs.define<{ issueId: number }>(testKind, async ({ issueId }) => {
    await keep(issueId).catch(unlessGone)
  })

  /** Closed pulls have no test merge; reopened ones get it again. */
  activity.consume(async (trx, told) => {
    if (told.kind !== 'issue-closed' && told.kind !== 'issue-reopened') return
    const row = await trx
      .selectFrom('pull')
      .select(['issue_id', 'repository_id'])
      .where('issue_id', '=', told.subjectId)
      .executeTakeFirst()
    if (row) await turns.addWithin(trx, row.repository_id, 'test-merge', [row.issue_id])
  })

  return {
    keep: keepQuietly,

    /** Uses the pull as it was read, without asking git if its commits were tested already. */
    async of({ issue, isTested, mergeSha, mergedAt }: Pull): Promise<string | null> {
      return isTested || mergedAt !== null || issue.state === 'closed' ? mergeSha : keepQuietly(issue.id)
    },

    /** Queues a test merge for pulls whose head was pushed to. */
    keepLater: (repositoryId: number, issueIds: readonly number[]): Promise<void> =>
      store.write((trx) => turns.addWithin(trx, repositoryId, 'test-merge', issueIds)),

    /** Queues test merges for the newest open pulls into a branch that was pushed to. */
    async keepInto(repositoryId: number, branch: string): Promise<void> {
      const rows = await selectInto(db, repositoryId, branch).execute()
      if (rows.length === 0) return
      const issueIds = rows.map(({ issue_id }) => issue_id)
      await store.write(async (trx) => {
        await releaseTestUsagesWithin(trx, repositoryId, branch)
        await turns.addWithin(trx, repositoryId, 'test-merge', issueIds)
      })
    },

    /** The test merge of an open pull, by its number. */
    async find(repository: OpenRepository, number: number): Promise<string | null> {
      const { issue, row } = await findPull(db, repository.id, number)
      return isOpen({ issue, row }) ? row.test_merge_sha : null
    },
  }
}

/** The merge commit; null for a conflict. */
type Tried = string | null | 'too-much'

const selectInto = (db: Db, repositoryId: number, branch: string) =>
  db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select('pull.issue_id')
    .where('pull.repository_id', '=', repositoryId)
    .where('pull.base_ref', '=', branch)
    .where('issue.state', '=', 'open')
    .where('issue.deleted_at', 'is', null)
    .orderBy('pull.issue_id', 'desc')
    .limit(triedAtOnce)
