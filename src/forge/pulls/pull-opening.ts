/** Opens a pull from a branch of the same repository or of a fork. */

import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access, Opening } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { everyTokenKind } from '../access/required-grant.ts'
import { demandSignOn } from '../access/sign-on.ts'
import { invalidField } from '../failures.ts'
import type { Comparing } from '../git/read/comparing.ts'
import { isBranchName } from '../git/ref-name.ts'
import { actOf, withIssueLocks } from '../issues/issue-act.ts'
import type { IssueOpening } from '../issues/issue-opening.ts'
import { demandMayChange, demandUnlocked } from '../issues/issue-rights.ts'
import { findIssue, type IssueCore } from '../issues/issue-row.ts'
import { readTitle } from '../issues/issues.ts'
import type { ConnectLinked } from '../issues/references/linked-branches.ts'
import type { Forks } from '../repositories/forks.ts'
import { assignForkUsageWithin, undoForkUsageWithin } from './following/fork-commit-usage.ts'
import { type PullFollowing, pullRefKind } from './following/pull-following.ts'
import { isOwnHead } from './maintained-branches.ts'
import type { TestMerging } from './merging/test-merging.ts'
import { requestOwnersWithin } from './owners/owner-review-requests.ts'
import type { PullEnds } from './pull-ends.ts'
import { findOpenOn } from './pull-row.ts'

export type PullDraft = {
  /** A title of its own, or the issue to convert, which keeps its title, text, labels and comments. */
  readonly subject: { readonly title: string } | { readonly issue: number }
  readonly body?: string | null
  readonly base: string
  /** `branch`, or `owner:branch` for a fork. */
  readonly head: string
  /** The fork's name, needed if its owner has several. */
  readonly headRepository?: string | undefined
  readonly isDraft?: boolean | undefined
  readonly mayMaintainersPush?: boolean | undefined
}

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  opening: Opening
  forks: Forks
  comparing: Comparing
  ends: PullEnds
  following: PullFollowing
  testMerging: TestMerging
  issueOpening: IssueOpening
  connectLinked: ConnectLinked
}

type End = { readonly repository: OpenRepository; readonly ref: string; readonly sha: string }

export type PullOpening = ReturnType<typeof makePullOpening>

export function makePullOpening(needs: Needs) {
  const { store, clock, jobs, opening, forks, comparing, ends, following, testMerging, issueOpening, connectLinked } =
    needs

  /**
   * The opener must be able to write to the head; otherwise anyone could open pulls between other people's branches. A
   * public fork may also be used by those who may write to the base, since they could push its commits there
   * themselves.
   */
  async function openHead({ actor, repository: base }: Access<'read'>, draft: PullDraft): Promise<OpenRepository> {
    const colon = draft.head.indexOf(':')
    const owner = colon < 0 ? base.owner.login : draft.head.slice(0, colon)
    const isOwn = owner.toLowerCase() === base.owner.login.toLowerCase()
    const isNamed = draft.headRepository !== undefined && draft.headRepository.toLowerCase() !== base.name.toLowerCase()
    if (isOwn && !isNamed) {
      if (reaches(base.level, 'write')) return base
      demandSignOn(actor, base.owner.id)
      throw refuseForeignHead()
    }
    const found = isNamed
      ? await forks.findNamed(actor, base, { owner, name: draft.headRepository! })
      : await forks.findInNetwork(actor, base, owner)
    if (!found) throw invalidHead()
    const level = !found.isPrivate && reaches(base.level, 'write') ? 'read' : 'write'
    const permissions = [{ name: 'contents', level: 'read' as const }]
    const need = { tokens: everyTokenKind, scopes: ['repo'], permissions, level, signIn: true, writes: false } as const
    try {
      return await opening.open(actor, { id: found.id }, need)
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'unavailable' || error.code === 'sign-on-needed') throw error
      throw error.code === 'level-missing' ? refuseForeignHead() : invalidHead()
    }
  }

  async function findHead(access: Access<'read'>, draft: PullDraft): Promise<End> {
    const ref = draft.head.slice(draft.head.indexOf(':') + 1)
    const repository = await openHead(access, draft)
    const sha = isBranchName(ref) ? await ends.findTip(repository, ref) : undefined
    if (!sha) throw invalidHead()
    return { repository, ref, sha }
  }

  async function findBase({ repository }: Access<'read'>, ref: string): Promise<string> {
    const sha = isBranchName(ref) ? await ends.findTip(repository, ref) : undefined
    if (!sha) throw invalidField('base', 'invalid', 'base is not a branch of the repository.')
    return sha
  }

  /** The head must have commits that the base lacks, and common history with it. */
  async function demandCommits(base: End, head: End): Promise<void> {
    const count = await comparing.countAhead(base, head)
    if (count === undefined) throw refuse(`The ${head.ref} branch has no history in common with ${base.ref}`)
    if (count === 0) throw refuse(`No commits between ${base.ref} and ${head.ref}`)
  }

  return {
    findBase,

    demandCommits,
    demandNoOther,

    /** Answers the issue's id. */
    async open(access: Access<'read'>, draft: PullDraft): Promise<number> {
      const { repository: base } = access
      const title = 'title' in draft.subject ? readTitle(draft.subject.title) : undefined
      const actorId = access.actor.account.id
      const authorId = title === undefined ? (await findConvertible(store.db, access, draft)).author_id : actorId
      const baseSha = await findBase(access, draft.base)
      const head = await findHead(access, draft)
      const isCross = head.repository.id !== base.id
      if (!isCross && head.ref === draft.base) throw refuse(`No commits between ${draft.base} and ${head.ref}`)
      // A private head is followed with the rights of the pull's author, so the author must be the one who opens it.
      if (isCross && head.repository.isPrivate && authorId !== actorId) throw refuseForeignIssue()
      const isGivers = authorId === actorId && isOwnHead(head.repository, authorId)
      const letsMaintain =
        isCross &&
        isGivers &&
        draft.mayMaintainersPush !== false &&
        (await opening.mayWrite(access.actor, head.repository.id))
      if (isCross && draft.mayMaintainersPush && !letsMaintain) throw refuseLeave()
      const line = { baseRef: draft.base, headRef: head.ref, headRepository: head.repository }
      await demandNoOther(store.db, base, line)
      // Checked before anything is copied, so that a refusal leaves nothing behind and costs nobody.
      await demandCommits({ repository: base, ref: draft.base, sha: baseSha }, head)
      // The opener pays, not the author, who may only have written the issue that another user converts.
      const brought = await ends.bringHead(head.repository, base, head.sha, { payerId: actorId })
      const write = async (trx: Db) => {
        const act = actOf(access, clock.now())
        const id =
          title === undefined
            ? await issueOpening.convertWithin(trx, act, await findConvertible(trx, access, draft))
            : (await issueOpening.openWithin(trx, act, { title, body: draft.body ?? null, isPull: true })).id
        await trx
          .insertInto('pull')
          .values({
            issue_id: id,
            repository_id: base.id,
            base_ref: draft.base,
            base_sha: baseSha,
            fork_sha: null,
            head_repository_id: head.repository.id,
            head_owner_id: head.repository.owner.id,
            opener_id: actorId,
            head_ref: head.ref,
            head_sha: head.sha,
            was_head_private: head.repository.isPrivate ? 1 : 0,
            is_head_deleted: 0,
            ref_sha: null,
            is_draft: draft.isDraft ? 1 : 0,
            may_maintainers_push: letsMaintain ? 1 : 0,
            merged_at: null,
            merged_by_id: null,
            merge_sha: null,
            test_merge_sha: null,
            test_base_sha: null,
            test_head_sha: null,
            head_push_id: head.repository.lastPushId,
            base_push_id: base.lastPushId,
          })
          .execute()
        await connectLinked(trx, act, { id, headRepositoryId: head.repository.id, headRef: head.ref })
        await assignForkUsageWithin(trx, brought, id)
        await jobs.enqueue(trx, pullRefKind, { issueId: id }, { key: String(id) })
        await requestOwnersWithin(trx, jobs, id)
        return id
      }
      const opened = await store.write(async (trx) => {
        const other = await findOther(trx, base, line)
        // The other pull has brought the same commits, and counts them.
        if (other) await undoForkUsageWithin(trx, brought)
        return other ? undefined : write(trx)
      }, withIssueLocks(base.id))
      if (opened === undefined) throw refuseOther(line)
      // The pull is open already: if writing its ref fails now, the job retries and reports it.
      await following.keepRef(opened).catch(() => {})
      await testMerging.keep(opened)
      return opened
    },
  }
}

/** An open issue that its author or someone with write access converts; it must not be a pull already. */
async function findConvertible(db: Db, access: Access<'read'>, { subject }: PullDraft): Promise<IssueCore> {
  const issue = await findIssue(db, access.repository.id, 'issue' in subject ? subject.issue : 0)
  demandMayChange(access, issue, 'write', { orAuthor: true })
  if (issue.is_pull === 1) throw invalidField('issue', 'invalid', 'The issue is a pull request already.')
  if (issue.state === 'closed') throw invalidField('issue', 'invalid', 'The issue is closed.')
  demandUnlocked(access, issue)
  return issue
}

type Line = {
  readonly baseRef: string
  readonly headRef: string
  readonly headRepository: Pick<OpenRepository, 'id' | 'owner'>
}

/** At most one open pull per head and base branch. */
async function demandNoOther(db: Db, base: OpenRepository, line: Line): Promise<void> {
  if (await findOther(db, base, line)) throw refuseOther(line)
}

const refuseOther = ({ headRef, headRepository }: Line): Failure =>
  refuse(`A pull request already exists for ${headRepository.owner.login}:${headRef}.`)

const findOther = (db: Db, base: OpenRepository, { baseRef, headRef, headRepository }: Line) =>
  findOpenOn(db, { repositoryId: base.id, baseRef, headRepositoryId: headRepository.id, headRef })

const invalidHead = () => invalidField('head', 'invalid', 'head is not a branch of the repository or of a fork of it.')
/** The public platform's words. */
const refuseForeignHead = () => refuse('must be a collaborator')
const refuseForeignIssue = () =>
  invalidField('issue', 'invalid', 'From a private repository, only its author can turn an issue into a pull request.')
/** Only the head's owner can grant this. */
export const refuseLeave = (): Failure =>
  invalidField('fork_collab', 'custom', 'Fork collab can’t be granted by someone without permission')
export const refuse = (reason: string): Failure => invalidField('', 'custom', reason)
