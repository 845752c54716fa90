/** Commit statuses: the results of checks. Only the newest of each context counts. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { CommitStatusTable } from '../../store/schema/commit-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { notFound } from '../failures.ts'
import { type Person, type PersonRow, toPerson } from '../person.ts'
import { countRows, readPage } from '../row-pages.ts'

export type StatusState = CommitStatusTable['state']

export type CommitStatus = {
  readonly id: number
  readonly sha: string
  readonly context: string
  readonly state: StatusState
  readonly targetUrl: string | null
  readonly description: string | null
  readonly creator: Person
  readonly createdAt: Date
}

export type StatusDraft = {
  readonly state: StatusState
  readonly context: string
  readonly targetUrl: string | null
  readonly description: string | null
}

type Place = { readonly repositoryId: number; readonly sha: string; readonly creatorId: number }

export type StatusConsumer = (trx: Db, repository: Pick<Repository, 'id'>, sha: string) => Promise<void>

/** The server's own statuses link to a path without an origin, because only a request knows the origin. */
export const placeTarget = ({ targetUrl }: CommitStatus, origin: string): string | null =>
  targetUrl?.startsWith('/-/') ? `${origin}${targetUrl}` : targetUrl

/** The lock that a write needs to set a status. */
export const statusLock = (repositoryId: number, sha: string): string => `statuses:${repositoryId}:${sha}`

/** Per context, as on the public platform; and for all contexts of a commit together. */
const maxPerContext = 1_000
const maxPerCommit = 10_000

export type Statuses = ReturnType<typeof makeStatuses>

export function makeStatuses({ store, clock, activity }: { store: Store; clock: Clock; activity: ActivityRecord }) {
  const { db } = store
  const consumers: StatusConsumer[] = []

  const selectOf = (on: Db, repositoryId: number, sha: string) =>
    on
      .selectFrom('commit_status')
      .innerJoin('account as creator', 'creator.id', 'commit_status.creator_id')
      .selectAll('commit_status')
      .select(['creator.name as creator_name', 'creator.kind as creator_kind', 'creator.role as creator_role'])
      .where('commit_status.repository_id', '=', repositoryId)
      .where('commit_status.sha', '=', sha)

  /** The newest of each context. */
  const selectLatest = (repositoryId: number, sha: string) =>
    selectOf(db, repositoryId, sha).where('commit_status.id', 'in', (eb) =>
      eb
        .selectFrom('commit_status as newest')
        .select((inner) => inner.fn.max('newest.id').as('id'))
        .where('newest.repository_id', '=', repositoryId)
        .where('newest.sha', '=', sha)
        .groupBy('newest.context'),
    )

  async function isFull(trx: Db, repositoryId: number, sha: string, context: string): Promise<boolean> {
    const ofCommit = trx.selectFrom('commit_status').where('repository_id', '=', repositoryId).where('sha', '=', sha)
    return (
      (await countRows(ofCommit.where('context', '=', context))) >= maxPerContext ||
      (await countRows(ofCommit)) >= maxPerCommit
    )
  }

  async function insert(trx: Db, { repositoryId, sha, creatorId }: Place, draft: StatusDraft): Promise<number> {
    const { id } = await trx
      .insertInto('commit_status')
      .values({
        repository_id: repositoryId,
        sha,
        context: draft.context,
        state: draft.state,
        target_url: draft.targetUrl,
        description: draft.description,
        creator_id: creatorId,
        created_at: clock.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const what = { actorId: creatorId, repositoryId, subjectId: id }
    await activity.record(trx, { kind: 'status-set', ...what, data: { sha } })
    for (const consume of consumers) await consume(trx, { id: repositoryId }, sha)
    return id
  }

  return {
    /** Told of each status within the write that sets it. */
    consume: (consumer: StatusConsumer) => void consumers.push(consumer),

    /** The caller has checked that the commit exists. */
    create: ({ repository, actor }: Access<'write'>, sha: string, draft: StatusDraft): Promise<CommitStatus> =>
      store.write(
        async (trx) => {
          if (await isFull(trx, repository.id, sha, draft.context))
            throw new Failure(
              'invalid',
              'too-many-statuses',
              `This SHA and context has reached the maximum number of statuses (${maxPerContext}; ${maxPerCommit} of all contexts).`,
            )
          const id = await insert(trx, { repositoryId: repository.id, sha, creatorId: actor.account.id }, draft)
          const row = await selectOf(trx, repository.id, sha)
            .where('commit_status.id', '=', id)
            .executeTakeFirstOrThrow()
          return toStatus(row)
        },
        { locks: [statusLock(repository.id, sha)] },
      ),

    /** The server's own status, in a write that holds the lock. Does nothing if the commit has the maximum already. */
    async putWithin(trx: Db, place: Place, draft: StatusDraft): Promise<void> {
      if (!(await isFull(trx, place.repositoryId, place.sha, draft.context))) await insert(trx, place, draft)
    },

    async get(repository: Repository, sha: string, id: number): Promise<CommitStatus> {
      const row = await selectOf(db, repository.id, sha).where('commit_status.id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      return toStatus(row)
    },

    /** Newest first. */
    list: (repository: Repository, sha: string, page: PageRequest): Promise<Page<CommitStatus>> =>
      readPage(selectOf(db, repository.id, sha).orderBy('commit_status.id', 'desc'), page, toStatus),

    /** The newest of each context, and the combined state. */
    async combine(
      repository: Repository,
      sha: string,
      page: PageRequest,
    ): Promise<Page<CommitStatus> & { state: StatusState }> {
      const latest = selectLatest(repository.id, sha)
      const found = await readPage(latest.orderBy('commit_status.id'), page, toStatus)
      const states = await latest.clearSelect().select('commit_status.state').distinct().execute()
      return { ...found, state: sumUp(states.map(({ state }) => state)) }
    },

    /** The newest of each of these contexts. */
    async listNewest({ id }: Pick<Repository, 'id'>, sha: string, contexts: readonly string[]) {
      if (contexts.length === 0) return []
      const rows = await selectLatest(id, sha).where('commit_status.context', 'in', contexts).execute()
      return rows.map(({ context, state, creator_id }) => ({ context, state, creatorId: creator_id }))
    },
  }
}

/** Any failure makes the commit fail; with no status, or a pending one, it is pending. */
function sumUp(states: readonly StatusState[]): StatusState {
  if (states.includes('error') || states.includes('failure')) return 'failure'
  return states.length === 0 || states.includes('pending') ? 'pending' : 'success'
}

type Row = Selectable<CommitStatusTable> & {
  creator_name: PersonRow['name']
  creator_kind: PersonRow['kind']
  creator_role: PersonRow['role']
}

const toStatus = (row: Row): CommitStatus => ({
  id: row.id,
  sha: row.sha,
  context: row.context,
  state: row.state,
  targetUrl: row.target_url,
  description: row.description,
  creator: toPerson({ id: row.creator_id, kind: row.creator_kind, name: row.creator_name, role: row.creator_role }),
  createdAt: new Date(row.created_at),
})
