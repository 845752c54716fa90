/**
 * Test merges: what an open pull would be merged to, kept under a ref that git can fetch (`pull/1/merge`); none where there
 * is a conflict. Whoever looks at a pull may start one: those of the same commits are one, and what took git too long is not
 * tried again for a while.
 */
import { LRUCache } from 'lru-cache'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { identityOf, type OpenRepository, type Repository } from '../../access/repository.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { pruneKind } from '../../git/folders/tidying.ts'
import type { Git } from '../../git/process/git.ts'
import { isObjectId, zeroId } from '../../git/ref-name.ts'
import { signAs } from '../../git/write/commit-text.ts'
import { type Merging, triedKeptMs } from '../../git/write/merging.ts'
import type { People } from '../../people/people.ts'
import { releaseTestsWithin } from '../following/brought-commits.ts'
import { unlessGone } from '../following/pull-following.ts'
import type { PullTurns } from '../following/pull-turns.ts'
import { type Pull, testRef } from '../pull.ts'
import type { PullEnds } from '../pull-ends.ts'
import { findPull, getPullRows, isOpen, type PullRow, type PullRows } from '../pull-row.ts'
import { tooMuchFor, untilLater } from '../too-much.ts'

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

/** Those of versions before. */
const testKind = 'forge.pull-test-merge'
/** Of the open pulls into a branch that moves, so many are tried anew at once; the others when they are looked at. */
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
    // What left the memo meanwhile is answered nonetheless.
    ignoreFetchAbort: true,
  })

  async function findRef(repository: Repository, ref: string): Promise<string> {
    const { code, output } = await git.run(repository, ['show-ref', '--verify', '--hash', ref])
    const sha = output.toString().trim()
    return code === 0 && isObjectId(sha) ? sha : zeroId
  }

  /** Answers whether it was there as `before` still: whoever was faster has seen newer commits. */
  async function moveRef(repository: Repository, ref: string, before: string, after: string): Promise<boolean> {
    if (before === after) return true
    const words = after === zeroId ? ['update-ref', '-d', ref, before] : ['update-ref', ref, after, before]
    return (await git.run(repository, words)).code === 0
  }

  /** Of the same commits one, however many ask. */
  async function tryOnce(repository: Repository, rows: PullRows, base: string): Promise<Tried> {
    const key = JSON.stringify([identityOf(repository), rows.row.head_sha, base, untilLater(clock)])
    const attempt = async () => ({
      tried: await tryMerge(repository, rows, base).catch(tooMuchFor<Tried>('too-much', 'quota')),
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

  /** The ref is read before the commits at the ends, so that it is moved by nobody who has seen older ones. */
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
      await merging.letGoOfTried(repository, row.test_merge_sha)
  }

  /** A merge that nothing leads to any more goes soon: who pays for it has done nothing where the base moves. */
  const pruneLater = (trx: Db, repositoryId: number): Promise<number> =>
    jobs.enqueue(trx, pruneKind, { repositoryId }, { key: String(repositoryId), runAt: clock.now() + 2 * triedKeptMs })

  /** What can't be tried now is tried when the pull is looked at. */
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

  /** A pull that is closed is not to be merged, and one that is opened again is. */
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

    /** Of a pull as it was read: without a look into git where its ends were tried already. */
    async of({ issue, isTested, mergeSha, mergedAt }: Pull): Promise<string | null> {
      return isTested || mergedAt !== null || issue.state === 'closed' ? mergeSha : keepQuietly(issue.id)
    },

    /** Of a pull whose head was pushed to: in its turn. */
    keepLater: (repositoryId: number, issueIds: readonly number[]): Promise<void> =>
      store.write((trx) => turns.addWithin(trx, repositoryId, 'test-merge', issueIds)),

    /** Of the newest open pulls into a branch that was pushed to: in their turns. */
    async keepInto(repositoryId: number, branch: string): Promise<void> {
      const rows = await selectInto(db, repositoryId, branch).execute()
      if (rows.length === 0) return
      const issueIds = rows.map(({ issue_id }) => issue_id)
      await store.write(async (trx) => {
        await releaseTestsWithin(trx, repositoryId, branch)
        await turns.addWithin(trx, repositoryId, 'test-merge', issueIds)
      })
    },

    /** By the number of an open pull. */
    async find(repository: OpenRepository, number: number): Promise<string | null> {
      const { issue, row } = await findPull(db, repository.id, number)
      return isOpen({ issue, row }) ? row.test_merge_sha : null
    },
  }
}

/** The commit, or none for a conflict. */
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
