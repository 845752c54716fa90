/** Merging a pull: makes the commit, records the intent, moves the base by compare-and-swap; its push does the rest. */
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { Store } from '../../../store/store.ts'
import type { Access, Opening } from '../../access/opening.ts'
import { contentsWrite } from '../../access/opening.ts'
import type { OpenRepository } from '../../access/repository.ts'
import type { MergeStanding, ReviewDecision } from '../../commits/branch-rules.ts'
import type { CheckPush } from '../../git/push/push-rules.ts'
import type { Pushes } from '../../git/push/pushes.ts'
import type { RefMoving } from '../../git/push/ref-moving.ts'
import type { Comparing } from '../../git/read/comparing.ts'
import { isObjectId, zeroId } from '../../git/ref-name.ts'
import { signAs } from '../../git/write/commit-text.ts'
import type { Merged, Merging } from '../../git/write/merging.ts'
import type { People } from '../../people/people.ts'
import type { StorageQuota } from '../../storage/storage-quota.ts'
import { type PullFollowing, unlessGone } from '../following/pull-following.ts'
import type { UnlessLost } from '../lost-commits.ts'
import type { MergeMethod, Pull } from '../pull.ts'
import type { PullEnds } from '../pull-ends.ts'
import { refuse } from '../pull-opening.ts'
import { findPull, getPullRows, isOpen, type PullRows } from '../pull-row.ts'
import type { MergeConditions } from './merge-conditions.ts'
import { describeMerge, describeSquash } from './merge-message.ts'

export type MergeRequest = {
  readonly method: MergeMethod
  readonly title?: string | undefined
  readonly message?: string | undefined
  /** The head commit that the caller has seen. */
  readonly sha?: string | undefined
}

type Needs = {
  store: Store
  clock: Clock
  log: Log
  opening: Opening
  people: People
  comparing: Comparing
  merging: Merging
  refMoving: RefMoving
  pushes: Pushes
  ends: PullEnds
  following: PullFollowing
  judging: MergeConditions
  checkPush: CheckPush
  storage: Pick<StorageQuota, 'demandSpace'>
  unlessLost: UnlessLost
}

export type PullMerging = ReturnType<typeof makePullMerging>

export function makePullMerging(needs: Needs) {
  const {
    store,
    clock,
    log,
    opening,
    people,
    comparing,
    merging,
    refMoving,
    pushes,
    ends,
    following,
    judging,
    checkPush,
    storage,
    unlessLost,
  } = needs

  const findProfile = (id: number) => people.getById(id).catch(unlessGone)

  type Plan = { readonly rows: PullRows; readonly base: string; readonly fork: string }

  async function plan(access: Access<'write'>, number: number, request: MergeRequest): Promise<Plan> {
    const { repository } = access
    const { issue } = await findPull(store.db, repository.id, number)
    const rows = await following.followHead(issue.id)
    const { row } = rows
    if (!isOpen(rows)) throw notMergeable()
    demand(!request.sha || request.sha === row.head_sha, 'conflict', 'head-modified', headModified)
    if (row.is_draft === 1) throw notMergeable('Pull Request is still a draft')
    demandMethod(repository, request.method)
    await storage.demandSpace(repository)
    const base = await ends.findTip(repository, row.base_ref)
    const fork = base && (await merging.findFork(repository, { base, head: row.head_sha }))
    if (!base || !fork || fork === row.head_sha) throw notMergeable()
    const asked = { issueId: issue.id, headSha: row.head_sha, isUpToDate: fork === base, method: request.method }
    const [reason] = await judging.listFaults(access, row.base_ref, asked)
    if (reason !== undefined) throw notMergeable(reason)
    return { rows, base, fork }
  }

  async function make(access: Access<'write'>, { rows, base, fork }: Plan, request: MergeRequest): Promise<Merged> {
    const { repository, actor } = access
    const { row, issue } = rows
    const ends = { base, head: row.head_sha }
    const committer = signAs(actor.account, clock.now())
    if (request.method === 'rebase') return merging.rebase(repository, { ...ends, committer })
    if (request.method === 'merge') {
      const owner = row.head_owner_id === null ? undefined : await findProfile(row.head_owner_id)
      const message = describeMerge(issue, `${owner?.login ?? 'unknown'}/${row.head_ref}`, request)
      return merging.merge(repository, { ...ends, author: committer, committer, message })
    }
    const commits = await comparing.commitsBetween(repository, fork, row.head_sha, { offset: 0, limit: 100 })
    const author = await findProfile(issue.author_id)
    const known = await people.findByEmails(commits.map((commit) => commit.author.email))
    const others = commits
      .map((commit) => commit.author)
      .filter(({ email }) => known.get(email.toLowerCase())?.id !== issue.author_id)
    const message = describeSquash(issue, commits, others, request)
    const signed = author ? signAs({ name: author.login, displayName: author.name }, clock.now()) : committer
    return merging.squash(repository, { ...ends, author: signed, committer, message })
  }

  /** Keeps the branch if another pull is based on it, or if it was pushed to meanwhile. */
  async function deleteHead(access: Access<'write'>, { row }: PullRows): Promise<void> {
    const { repository } = access
    const isOwn = row.head_repository_id === repository.id && row.head_ref !== repository.defaultBranch
    if (!isOwn || !repository.options.deleteBranchOnMerge) return
    const other = await store.db
      .selectFrom('pull')
      .innerJoin('issue', 'issue.id', 'pull.issue_id')
      .select('pull.issue_id')
      .where('pull.repository_id', '=', repository.id)
      .where('pull.base_ref', '=', row.head_ref)
      .where('issue.state', '=', 'open')
      .executeTakeFirst()
    if (other) return
    const change = { ref: `refs/heads/${row.head_ref}`, before: row.head_sha, after: zeroId }
    if ((await checkPush(access, [change])).refused.size > 0) return
    await refMoving.move(access, [change]).catch((error) => {
      log.info({ err: error, repository: repository.id }, 'the branch of a merged pull stays')
    })
  }

  return {
    /** Answers the base's new commit. */
    async merge(access: Access<'write'>, number: number, request: MergeRequest): Promise<string> {
      // An earlier merge without an answer may have succeeded just before its server died.
      await pushes.settleArrived(access.repository)
      const planned = await plan(access, number, request)
      const { rows, base, fork } = planned
      const { row, issue } = rows
      const made = await make(access, planned, request)
      if (made.kind !== 'merged') throw notMergeable(refusals[made.kind])
      await ends.keepLargeFiles(row.head_repository_id, access.repository, row.head_sha)
      const change = { ref: `refs/heads/${row.base_ref}`, before: base, after: made.sha }
      const intent = {
        issue_id: issue.id,
        base_sha: base,
        fork_sha: fork,
        head_sha: row.head_sha,
        merge_sha: made.sha,
      }
      const moved = refMoving.move(access, [change], {
        async within(trx, pushId) {
          const now = await getPullRows(trx, issue.id)
          if (!isOpen(now) || now.row.base_ref !== row.base_ref) throw notMergeable()
          await trx
            .insertInto('pull_merge')
            .values({ ...intent, push_id: pushId })
            .execute()
        },
      })
      await moved.catch((error) => {
        throw error instanceof Failure && error.code === 'ref-moved' ? notMergeable(baseModified) : error
      })
      await deleteHead(access, rows)
      return made.sha
    },

    /** Whether the rules of the base let it be merged by anyone who may write, be it that they do not hold for this one. */
    async mayFollowRules({ repository }: Access<'write'>, number: number, { method }: MergeRequest): Promise<boolean> {
      const { issue } = await findPull(store.db, repository.id, number)
      const { row } = await following.followHead(issue.id)
      const base = await ends.findTip(repository, row.base_ref)
      const fork = base && (await merging.findFork(repository, { base, head: row.head_sha }))
      if (!fork) return false
      const asked = { issueId: issue.id, headSha: row.head_sha, isUpToDate: fork === base, method }
      const standing = await judging.computeStanding(repository, row.base_ref, asked)
      return standing === 'clean' || standing === 'unstable'
    },

    /** The mergeability of an open pull, by the base's rules and the head's statuses. */
    async standing(pull: Pull): Promise<MergeStanding> {
      const { issue, base, head } = pull
      if (issue.state === 'closed') return 'clean'
      const tips = { base: base.sha, head: head.sha }
      const fork = await unlessLost(pull, undefined, () => merging.findFork(base.repository, tips))
      const { options } = base.repository
      const method = options.allowSquashMerge ? 'squash' : options.allowRebaseMerge ? 'rebase' : 'merge'
      const asked = { issueId: issue.id, headSha: head.sha, isUpToDate: fork === base.sha, method } as const
      return judging.computeStanding(base.repository, base.ref, asked)
    },

    reviewDecision: ({ issue, base, head }: Pull): Promise<ReviewDecision | undefined> =>
      judging.decideReviews(base.repository, base.ref, { issueId: issue.id, headSha: head.sha }),

    /** Merges the base into the head's branch, for those who may push there. */
    async updateBranch(access: Access<'read'>, pull: Pull, expected: string | undefined): Promise<void> {
      const { actor, repository: base } = access
      const rows = await following.followHead(pull.issue.id)
      const { row } = rows
      if (!isOpen(rows) || row.head_repository_id === null) throw refuse('The pull request is closed.')
      if (expected !== undefined && (!isObjectId(expected) || expected !== row.head_sha))
        throw refuse(`expected_head_sha does not match the head, which is ${row.head_sha}`)
      const head = await opening.enterToPush(actor, { id: row.head_repository_id }, contentsWrite)
      // The base's commits must not become visible to more people than may see the base.
      if (base.isPrivate && !head.repository.isPrivate) throw refuse('The base is private, and the head is not.')
      if (await ends.isFrozen(rows)) throw refuse('The owner of the base has blocked the author of the pull request.')
      if (!(await ends.mayFollow(head.repository, rows)))
        throw refuse('The head is private, and not followed by the pull request any more.')
      const tip = await ends.findTip(base, row.base_ref)
      if (!tip) throw refuse('The base branch was deleted.')
      await storage.demandSpace(head.repository)
      // Checked before anything is copied, so that a refusal leaves nothing behind.
      const foreseen = await merging.foresee(head.repository, base, { base: row.head_sha, head: tip })
      if (foreseen === 'nothing') throw refuse('There are no new commits on the base branch.')
      if (foreseen !== 'merged') throw refuseConflict()
      await ends.bringBase(base, head.repository, tip)
      const signed = signAs(actor.account, clock.now())
      const message = `Merge branch '${row.base_ref}' into ${row.head_ref}`
      const draft = { base: row.head_sha, head: tip, author: signed, committer: signed, message }
      const made = await merging.merge(head.repository, draft)
      if (made.kind !== 'merged') throw refuseConflict()
      const change = { ref: `refs/heads/${row.head_ref}`, before: row.head_sha, after: made.sha }
      for (const reason of (await checkPush(head, [change])).refused.values()) throw refuse(reason)
      await refMoving.move(head, [change])
      await following.followHead(pull.issue.id)
    },
  }
}

const refuseConflict = () => refuse('merge conflict between base and head')

const refusals = {
  conflict: undefined,
  nothing: undefined,
  'too-many': 'This branch has too many commits to be rebased: merge or squash it.',
}

const headModified = 'Head branch was modified. Review and try the merge again.'
const baseModified = 'Base branch was modified. Review and try the merge again.'

const notMergeable = (reason = 'Pull Request is not mergeable') => new Failure('conflict', 'not-mergeable', reason)

export function demandMethod({ options }: OpenRepository, method: MergeMethod): void {
  if (method === 'merge' && !options.allowMergeCommit)
    throw notMergeable('Merge commits are not allowed on this repository.')
  if (method === 'squash' && !options.allowSquashMerge)
    throw notMergeable('Squash merges are not allowed on this repository.')
  if (method === 'rebase' && !options.allowRebaseMerge)
    throw notMergeable('Rebase merges are not allowed on this repository.')
}
