/** Pulls: read, list, edit; drafts, base changes, closing and reopening. */
import type { Expression, SqlBool } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access, Opening } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { recordEvent } from '../issues/event-recording.ts'
import { actOf, type IssueAct, placeOf, withIssueLocks } from '../issues/issue-act.ts'
import { demandMayChange, demandUnlocked } from '../issues/issue-rights.ts'
import { touchIssue } from '../issues/issue-row.ts'
import type { IssueStates } from '../issues/issue-state.ts'
import { subjectOf } from '../issues/issue-state.ts'
import type { Issues } from '../issues/issues.ts'
import { labelledWithAny } from '../issues/labels/label-rows.ts'
import { countRows } from '../row-pages.ts'
import type { CommitPullOrder, FindCommitPulls } from './commit-pulls.ts'
import { releaseTestUsageWithin } from './following/fork-commit-usage.ts'
import type { PullFollowing } from './following/pull-following.ts'
import { isOwnHead } from './maintained-branches.ts'
import { requestOwnersWithin } from './owners/owner-review-requests.ts'
import type { Pull } from './pull.ts'
import type { PullEnds } from './pull-ends.ts'
import { type PullDraft, type PullOpening, refuse, refuseLeave } from './pull-opening.ts'
import type { PullReading } from './pull-reading.ts'
import { findOpenOn, findPull, type PullRows, readPullRow } from './pull-row.ts'

export type PullFilter = {
  readonly state: 'open' | 'closed' | 'all'
  readonly base?: string | undefined
  /** `owner:branch`. */
  readonly head?: string | undefined
  /** Any of these states; here merged pulls do not count as closed. */
  readonly states?: readonly ('open' | 'closed' | 'merged')[] | undefined
  /** The branch alone, whoever owns it. */
  readonly headRef?: string | undefined
  /** At least one of these labels. */
  readonly anyLabels?: readonly string[] | undefined
  readonly sort: 'created' | 'updated' | 'popularity' | 'long-running'
  readonly direction: 'asc' | 'desc'
}

/** Absent members stay unchanged. */
export type PullEdit = {
  readonly title?: string
  readonly body?: string | null
  readonly state?: 'open' | 'closed'
  readonly base?: string
  readonly isDraft?: boolean
  readonly mayMaintainersPush?: boolean
}

type Needs = {
  activity: ActivityRecord
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  issues: Issues
  states: IssueStates
  reading: PullReading
  ends: PullEnds
  following: PullFollowing
  opening: PullOpening
  accessOpening: Opening
  findCommitPulls: FindCommitPulls
}

export type Pulls = ReturnType<typeof makePulls>

export function makePulls(needs: Needs) {
  const { store, clock, log, jobs, activity, issues, states, reading, ends, following, opening } = needs
  const { accessOpening, findCommitPulls } = needs
  const { db } = store

  states.setReopenRule(demandReopenable)

  async function get(actor: Actor, repository: OpenRepository, number: number): Promise<Pull> {
    const { issue } = await findPull(db, repository.id, number)
    // Shows a push of a moment ago at once. If the server cannot write now, shows what it has.
    await following
      .followHead(issue.id, ends.recallTip)
      .catch((error) => log.warn({ err: error }, 'a pull could not be brought up to date'))
    return reading.readById(actor, repository, issue.id)
  }

  async function changeBase(
    trx: Db,
    act: IssueAct,
    { row, issue }: PullRows,
    base: string,
    sha: string,
  ): Promise<void> {
    if (base === row.base_ref) return
    if (issue.state === 'closed') throw refuse('Cannot change the base branch of a closed pull request.')
    if (row.head_repository_id !== null) {
      const headRepository = { id: row.head_repository_id, owner: act.repository.owner }
      await opening.demandNoOther(trx, act.repository, { baseRef: base, headRef: row.head_ref, headRepository })
    }
    await trx.updateTable('pull').set({ base_ref: base, base_sha: sha }).where('issue_id', '=', issue.id).execute()
    await releaseTestUsageWithin(trx, row, act.actorId)
    // It was asked for to be merged elsewhere.
    await trx.deleteFrom('pull_auto_merge').where('issue_id', '=', issue.id).execute()
    await recordEvent(trx, placeOf(act, issue.id), 'base_ref_changed', {})
    const changes = { base: { ref: { from: row.base_ref }, sha: { from: row.base_sha } } }
    await activity.record(trx, {
      kind: 'issue-changed',
      ...subjectOf(act, issue.id),
      data: { action: 'edited', changes },
    })
  }

  async function changeDraft(trx: Db, act: IssueAct, { row, issue }: PullRows, isDraft: boolean): Promise<void> {
    if (isDraft === (row.is_draft === 1)) return
    if (issue.state === 'closed') throw refuse('Cannot change a closed pull request to or from a draft.')
    await trx
      .updateTable('pull')
      .set({ is_draft: isDraft ? 1 : 0 })
      .where('issue_id', '=', issue.id)
      .execute()
    await recordEvent(trx, placeOf(act, issue.id), isDraft ? 'convert_to_draft' : 'ready_for_review', {})
    await activity.record(trx, {
      kind: 'issue-changed',
      ...subjectOf(act, issue.id),
      data: { action: isDraft ? 'converted_to_draft' : 'ready_for_review' },
    })
    if (!isDraft) await requestOwnersWithin(trx, jobs, issue.id)
  }

  /** Runs before the write: the new base must be a branch that lacks commits of the head. */
  async function findNewBase(access: Access<'read'>, { row }: PullRows, base: string): Promise<string> {
    const sha = await opening.findBase(access, base)
    const { repository } = access
    if (base !== row.base_ref)
      await opening.demandCommits({ repository, ref: base, sha }, { repository, ref: row.head_ref, sha: row.head_sha })
    return sha
  }

  async function demandHead({ row }: PullRows): Promise<void> {
    const head = await ends.findRepository(row.head_repository_id)
    const tip = head && (await ends.findTip(head, row.head_ref))
    if (!tip) throw refuse(`state cannot be changed. The ${row.head_ref} branch has been deleted.`)
  }

  /** Only the pull's author may let others push to the head, if they own its repository and can push there. */
  async function demandOwnHead({ actor, repository }: Access<'read'>, { row, issue }: PullRows): Promise<void> {
    if (row.head_repository_id === repository.id) return
    const head = await ends.findRepository(row.head_repository_id)
    if (!head || !isOwnHead(head, issue.author_id)) throw refuseLeave()
    if (row.may_maintainers_push === 1) return
    if (actor.account.id !== issue.author_id || !(await accessOpening.mayWrite(actor, head.id))) throw refuseLeave()
  }

  return {
    get,

    async open(access: Access<'read'>, draft: PullDraft): Promise<Pull> {
      const id = await opening.open(access, draft)
      return reading.readById(access.actor, access.repository, id)
    },

    async list(actor: Actor, repository: OpenRepository, filter: PullFilter, page: PageRequest): Promise<Page<Pull>> {
      const query = select(db, repository, filter)
      const ids = await query
        .select('issue.id')
        .orderBy(orderColumns[filter.sort], filter.direction)
        .orderBy('issue.id', filter.direction)
        .offset(page.offset)
        .limit(page.limit)
        .execute()
      const found = ids.map(({ id }) => id)
      const items = await reading.readByIds(actor, repository, found, db, !page.withoutTexts)
      return { total: await countRows(query), items }
    },

    /** In the order of the ids; deleted pulls are left out. */
    readByIds: (actor: Actor, repository: OpenRepository, ids: readonly number[]): Promise<Pull[]> =>
      reading.readByIds(actor, repository, ids),

    /** Pulls whose head or merge is this commit. */
    async listOfCommit(
      actor: Actor,
      repository: OpenRepository,
      sha: string,
      page: PageRequest,
      order: CommitPullOrder = { sort: 'created', direction: 'asc' },
    ): Promise<Page<Pull>> {
      const ids = await findCommitPulls(repository, sha, order)
      const items = await reading.readByIds(actor, repository, ids.slice(page.offset, page.offset + page.limit))
      return { total: ids.length, items }
    },

    async isMerged(repository: OpenRepository, number: number): Promise<boolean> {
      return (await findPull(db, repository.id, number)).row.merged_at !== null
    },

    /** Authors may edit their own pulls; triage access may change the state; everything else needs write access. */
    async edit(access: Access<'read'>, number: number, edit: PullEdit): Promise<Pull> {
      const { repository } = access
      const before = await findPull(db, repository.id, number)
      demandMayChange(access, before.issue, 'triage', { orAuthor: true })
      const { title, body, state, base, isDraft, mayMaintainersPush } = edit
      const isMore = [title, body, base, isDraft, mayMaintainersPush].some((value) => value !== undefined)
      if (isMore) demandMayChange(access, before.issue, 'write', { orAuthor: true })
      const speaks = title !== undefined || body !== undefined
      if (speaks || (state === 'open' && !reaches(repository.level, 'triage'))) demandUnlocked(access, before.issue)
      if (state === 'open' && before.issue.state === 'closed') await demandHead(before)
      if (mayMaintainersPush) await demandOwnHead(access, before)
      const baseSha = base === undefined ? undefined : await findNewBase(access, before, base)
      await store.write(async (trx) => {
        const rows = await findPull(trx, repository.id, number)
        const act = actOf(access, clock.now())
        if (base !== undefined) await changeBase(trx, act, rows, base, baseSha!)
        if (isDraft !== undefined) await changeDraft(trx, act, rows, isDraft)
        if (mayMaintainersPush !== undefined && rows.row.head_repository_id !== repository.id)
          await trx
            .updateTable('pull')
            .set({ may_maintainers_push: mayMaintainersPush ? 1 : 0 })
            .where('issue_id', '=', rows.issue.id)
            .execute()
        if (isMore) await touchIssue(trx, rows.issue.id, act.now)
        const text = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) }
        await issues.editWithin(trx, act, rows.issue, { ...text, ...(state !== undefined && { state }) })
      }, withIssueLocks(repository.id))
      return get(access.actor, repository, number)
    },
  }
}

const orderColumns = {
  created: 'issue.created_at',
  updated: 'issue.updated_at',
  popularity: 'issue.comment_count',
  'long-running': 'issue.created_at',
} as const

function select(db: Db, repository: OpenRepository, filter: PullFilter) {
  const { state, states, base, head, headRef, anyLabels } = filter
  let query = db
    .selectFrom('issue')
    .innerJoin('pull', 'pull.issue_id', 'issue.id')
    .leftJoin('account as head_owner', 'head_owner.id', 'pull.head_owner_id')
    .where('issue.repository_id', '=', repository.id)
    .where('issue.deleted_at', 'is', null)
  if (state !== 'all') query = query.where('issue.state', '=', state)
  if (base !== undefined) query = query.where('pull.base_ref', '=', base)
  if (states)
    query = query.where((eb): Expression<SqlBool> => {
      const isOpen = eb('issue.state', '=', 'open')
      const isEnded = (word: string) =>
        eb.and([eb('issue.state', '=', 'closed'), eb('pull.merged_at', word === 'merged' ? 'is not' : 'is', null)])
      return eb.or(states.map((one) => (one === 'open' ? isOpen : isEnded(one))))
    })
  if (headRef !== undefined) query = query.where('pull.head_ref', '=', headRef)
  if (anyLabels) query = query.where('issue.id', 'in', labelledWithAny(db, repository.id, anyLabels))
  // As clients expect, a filter without an owner is ignored.
  const colon = head?.indexOf(':') ?? -1
  if (head === undefined || colon < 0) return query
  return query.where((eb): Expression<SqlBool> => {
    const isOwner = eb('head_owner.name_key', '=', head.slice(0, colon).toLowerCase())
    const ref = head.slice(colon + 1)
    return ref === '' ? isOwner : eb.and([isOwner, eb('pull.head_ref', '=', ref)])
  })
}

/** A merged pull cannot be reopened, nor can one whose branch is deleted. */
async function demandReopenable(trx: Db, issueId: number): Promise<void> {
  const row = await readPullRow(trx, issueId)
  if (!row) return
  if (row.merged_at !== null) throw refuse('state cannot be changed. The pull request is merged.')
  if (row.is_head_deleted === 1 || row.head_repository_id === null)
    throw refuse(`state cannot be changed. The ${row.head_ref} branch has been deleted.`)
  const other = await findOpenOn(trx, {
    repositoryId: row.repository_id,
    baseRef: row.base_ref,
    headRepositoryId: row.head_repository_id,
    headRef: row.head_ref,
  })
  if (other) throw refuse(`state cannot be changed. There is already an open pull request (#${other.number}).`)
}
