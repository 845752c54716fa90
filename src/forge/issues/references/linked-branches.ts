/**
 * Branches that were made for an issue. The link lasts until the branch is deleted; a pull that is opened from it is
 * connected with the issue.
 */
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Access } from '../../access/opening.ts'
import { invalidField, notFound } from '../../failures.ts'
import type { Push, Pushes } from '../../git/push/pushes.ts'
import { zeroId } from '../../git/ref-name.ts'
import type { RefWriting } from '../../git/write/ref-writing.ts'
import { visibleTo } from '../../repositories/repository-lists.ts'
import { readPage } from '../../row-pages.ts'
import { recordEvent } from '../event-recording.ts'
import type { Issue } from '../issue.ts'
import { type IssueAct, placeOf } from '../issue-act.ts'

export type LinkedBranch = { readonly id: number; readonly repositoryId: number; readonly branch: string }

/** The head of a pull that is being opened. */
export type OpenedPull = { readonly id: number; readonly headRepositoryId: number; readonly headRef: string }

export type ConnectLinked = (trx: Db, act: IssueAct, pull: OpenedPull) => Promise<void>

type Needs = { store: Store; clock: Clock; pushes: Pushes; refs: RefWriting }

/** The most branches linked with one issue. */
const maxLinkedBranches = 100
/** The most characters of a title in a branch's name. */
const maxTitle = 80
/** Names that are tried one after the other if the branch exists. */
const maxSuffix = 9

const heads = 'refs/heads/'

export type LinkedBranches = ReturnType<typeof makeLinkedBranches>

export function makeLinkedBranches({ store, clock, pushes, refs }: Needs) {
  const { db } = store
  pushes.consume({ listLocks: async () => [], process: followPush })

  const countOf = async (on: Db, { id }: Issue): Promise<number> =>
    (await on.selectFrom('linked_branch').select('id').where('issue_id', '=', id).execute()).length

  async function demandRoom(on: Db, issue: Issue): Promise<void> {
    if ((await countOf(on, issue)) < maxLinkedBranches) return
    throw invalidField('issueId', 'invalid', `An issue is linked with ${maxLinkedBranches} branches at most.`)
  }

  /** Answers the name of the branch. */
  async function createBranch(access: Access<'write'>, names: readonly string[], sha: string): Promise<string> {
    for (const [i, name] of names.entries())
      try {
        await refs.create(access, heads + name, sha)
        return name
      } catch (error) {
        const isTaken = error instanceof Failure && error.code === 'ref-exists'
        if (!isTaken || i === names.length - 1) throw error
      }
    throw notFound()
  }

  return {
    /** Only those in repositories that the actor may see. */
    list: (actor: Actor, { id }: Issue, page: PageRequest): Promise<Page<LinkedBranch>> =>
      readPage(
        db
          .selectFrom('linked_branch')
          .innerJoin('repository', 'repository.id', 'linked_branch.repository_id')
          .select(['linked_branch.id', 'linked_branch.repository_id', 'linked_branch.branch'])
          .where('linked_branch.issue_id', '=', id)
          .where((eb) => visibleTo(actor)(eb as never))
          .orderBy('linked_branch.id'),
        page,
        (row) => ({ id: row.id, repositoryId: row.repository_id, branch: row.branch }),
      ),

    find: async (id: number): Promise<LinkedBranch | undefined> => {
      const row = await db.selectFrom('linked_branch').selectAll().where('id', '=', id).executeTakeFirst()
      return row && { id: row.id, repositoryId: row.repository_id, branch: row.branch }
    },

    /**
     * Makes a branch for an issue. The caller has checked that the actor may read the issue and, if the branch is in
     * another repository, that the actor has triage rights to the issue's.
     */
    async create(
      access: Access<'write'>,
      issue: Issue,
      { name, sha }: { readonly name: string | undefined; readonly sha: string },
    ): Promise<LinkedBranch> {
      if (issue.isPull) throw invalidField('issueId', 'invalid', 'A branch is linked with an issue, not with a pull.')
      await demandRoom(db, issue)
      const { id: repositoryId } = access.repository
      const branch = await createBranch(access, name ? [name] : nameAfter(issue), sha)
      const values = { issue_id: issue.id, repository_id: repositoryId, branch, created_at: clock.now() }
      const { id } = await store.write(
        async (trx) => {
          await demandRoom(trx, issue)
          return trx.insertInto('linked_branch').values(values).returning('id').executeTakeFirstOrThrow()
        },
        { locks: [`linked-branches:${issue.id}`] },
      )
      return { id, repositoryId, branch }
    },

    /** The branch stays. */
    async unlink({ repository }: Access<'triage'>, id: number): Promise<void> {
      const gone = await store.write((trx) =>
        trx
          .deleteFrom('linked_branch')
          .where('id', '=', id)
          .where('issue_id', 'in', (eb) =>
            eb.selectFrom('issue').select('issue.id').where('issue.repository_id', '=', repository.id),
          )
          .returning('id')
          .executeTakeFirst(),
      )
      if (!gone) throw notFound()
    },
  }
}

/** A name of the issue's number and title, and others in case the branch exists. */
function nameAfter({ number, title }: Issue): string[] {
  const words = [...title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')].slice(0, maxTitle).join('')
  const name = `${number}-${words}`.replace(/-{2,}/g, '-').replace(/-$/, '')
  return [name, ...Array.from({ length: maxSuffix }, (_, i) => `${name}-${i + 1}`)]
}

/** Forgets deleted branches; one that the same push creates at the deleted one's commit is the renamed branch. */
async function followPush(trx: Db, { repository, changes }: Push): Promise<void> {
  const deleted = changes.filter(({ ref, after }) => after === zeroId && ref.startsWith(heads))
  if (deleted.length === 0) return
  const linked = await trx
    .selectFrom('linked_branch')
    .select('branch')
    .distinct()
    .where('repository_id', '=', repository.id)
    .execute()
  const names = new Set(linked.map(({ branch }) => branch))
  for (const { ref, before } of deleted) {
    const branch = ref.slice(heads.length)
    if (!names.has(branch)) continue
    const renamed = changes.find((one) => one.before === zeroId && one.after === before && one.ref.startsWith(heads))
    if (renamed)
      await trx
        .updateTable('linked_branch')
        .set({ branch: renamed.ref.slice(heads.length) })
        .where('repository_id', '=', repository.id)
        .where('branch', '=', branch)
        .execute()
    else
      await trx
        .deleteFrom('linked_branch')
        .where('repository_id', '=', repository.id)
        .where('branch', '=', branch)
        .execute()
  }
}

/** Connects a pull with the issues that its head was made for. */
export const connectLinked: ConnectLinked = async (trx, act, { id: pullId, headRepositoryId, headRef }) => {
  const issues = await trx
    .selectFrom('linked_branch')
    .innerJoin('issue', 'issue.id', 'linked_branch.issue_id')
    .select('issue.id')
    .where('linked_branch.repository_id', '=', headRepositoryId)
    .where('linked_branch.branch', '=', headRef)
    .where('issue.repository_id', '=', act.repository.id)
    .where('issue.is_pull', '=', 0)
    .where('issue.deleted_at', 'is', null)
    .orderBy('issue.id')
    .limit(maxConnected)
    .execute()
  for (const { id } of issues) {
    await trx.insertInto('issue_connection').values({ issue_id: id, pull_id: pullId, created_at: act.now }).execute()
    for (const connected of [id, pullId]) await recordEvent(trx, placeOf(act, connected), 'connected', {})
  }
}

/** The most issues that one pull is connected with in this way. */
const maxConnected = 10
