/** Imports by address and mirrors: set up, followed, changed and ended by admins of the repository. */
import type { Accounts } from '../../accounts/accounts.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository } from '../access/audit-place.ts'
import { type Access, contentsWrite, type Opening } from '../access/opening.ts'
import { invalidField, notFound } from '../failures.ts'
import type { Destinations } from '../outbound/destination.ts'
import { asPerson } from '../person.ts'
import { setMirrorUrlWithin } from '../repositories/mirrored.ts'
import { findFault } from './protocol/source-request.ts'
import { type RepositorySource, type SourceRow, toRepositorySource } from './repository-source.ts'
import type { SourceJob } from './source-job.ts'
import type { SourceLimits } from './source-limits.ts'

export type GivenCredentials = { readonly username: string | undefined; readonly password: string | undefined }

export type SourceDraft = {
  readonly url: string
  readonly credentials: GivenCredentials
  /** Undefined for an import that happens once. */
  readonly intervalMinutes: number | undefined
}

export type SourceChange = {
  readonly credentials: GivenCredentials | undefined
  readonly intervalMinutes: number | undefined
}

type Needs = {
  store: Store
  clock: Clock
  opening: Opening
  destinations: Destinations
  limits: SourceLimits
  job: SourceJob
  accounts: Accounts
}

const minuteMs = 60_000

export type Sources = ReturnType<typeof makeSources>

export function makeSources({ store, clock, opening, destinations, limits, job, accounts }: Needs) {
  const present = async (row: SourceRow): Promise<RepositorySource> => {
    const requester = await accounts.findById(row.requester_id)
    if (!requester) throw notFound()
    return toRepositorySource(row, asPerson(requester))
  }

  const read = (on: Db, repositoryId: number): Promise<SourceRow | undefined> =>
    on.selectFrom('repository_source').selectAll().where('repository_id', '=', repositoryId).executeTakeFirst()

  async function demandRoom(trx: Db, requesterId: number, isMirror: boolean): Promise<void> {
    const own = trx.selectFrom('repository_source').where('requester_id', '=', requesterId)
    const counted = own.select((eb) => eb.fn.countAll<number>().as('count'))
    const open = await counted
      .where('interval_ms', 'is', null)
      .where('state', 'in', ['pending', 'fetching'])
      .executeTakeFirstOrThrow()
    const mirrors = await counted.where('interval_ms', 'is not', null).executeTakeFirstOrThrow()
    demand(
      isMirror || Number(open.count) < limits.openPerPerson,
      'limited',
      'imports-open',
      `${limits.openPerPerson} imports of yours are not finished: wait for one, or cancel one.`,
    )
    demand(
      !isMirror || Number(mirrors.count) < limits.mirrorsPerPerson,
      'limited',
      'mirrors-many',
      `You have ${limits.mirrorsPerPerson} mirrors, and no more can be made: stop one first.`,
    )
  }

  function demandInterval(minutes: number | undefined): number | null {
    if (minutes === undefined) return null
    const { leastMinutes: least, mostMinutes: most } = limits
    if (minutes < least || minutes > most)
      throw invalidField('interval_minutes', 'invalid', `The interval must be ${least} to ${most} minutes.`)
    return minutes * minuteMs
  }

  const audit = (trx: Db, { actor, repository }: Access<'admin'>, action: string, url: string) =>
    recordAudit(trx, clock.now(), actor, { action, ...auditRepository(repository), data: { url } })

  /** An import also writes the repository's contents: a token for its settings alone must not. */
  const demandContents = ({ actor, repository }: Access<'admin'>) =>
    opening.enter(actor, { id: repository.id }, contentsWrite)

  const locksOf = (id: number, requesterId: number) => ({ locks: [`repository:${id}`, `sources:${requesterId}`] })

  return {
    async start(access: Access<'admin'>, draft: SourceDraft): Promise<RepositorySource> {
      await demandContents(access)
      const { actor, repository } = access
      const { id } = repository
      const fault = findFault(draft.url, destinations)
      if (fault !== undefined) throw invalidField('url', 'invalid', fault)
      const url = new URL(draft.url).href.replace(/\/+$/, '')
      const interval = demandInterval(draft.intervalMinutes)
      const requesterId = actor.account.id
      const row = await store.write(
        async (trx) => {
          const before = await read(trx, id)
          demand(!before || isOver(before), 'conflict', 'import-open', alreadyOpen(before))
          const now = await opening.find(actor, { id }, trx)
          if (!now) throw notFound()
          demand(
            now.lastPushId === 0 && !now.isReceiving,
            'conflict',
            'repository-not-empty',
            'The repository is not empty: import into a new one.',
          )
          await trx.deleteFrom('repository_source').where('repository_id', '=', id).execute()
          await demandRoom(trx, requesterId, interval !== null)
          const at = clock.now()
          const inserted = await trx
            .insertInto('repository_source')
            .values({
              repository_id: id,
              requester_id: requesterId,
              url,
              ...columnsOf(draft.credentials),
              interval_ms: interval,
              state: 'pending',
              run: null,
              received_bytes: 0,
              branch_count: 0,
              tag_count: 0,
              skipped_refs: '{"count":0,"names":[]}',
              failure: null,
              failure_count: 0,
              started_at: null,
              fetched_at: null,
              next_at: at,
              created_at: at,
              updated_at: at,
            })
            .returningAll()
            .executeTakeFirstOrThrow()
          if (interval !== null) await setMirrorUrlWithin(trx, id, url)
          await job.enqueue(trx, id, at)
          await audit(trx, access, interval === null ? 'repo.import' : 'repo.mirror', url)
          return inserted
        },
        locksOf(id, requesterId),
      )
      return present(row)
    },

    async get({ repository }: Access<'admin', 'look'>): Promise<RepositorySource> {
      const row = await read(store.db, repository.id)
      if (!row) throw notFound()
      return present(row)
    },

    /**
     * Fetches again, soon. Whoever changes something becomes the one in whose name it is fetched; credentials that
     * somebody else gave are forgotten then.
     */
    async update(access: Access<'admin'>, { credentials, intervalMinutes }: SourceChange): Promise<RepositorySource> {
      await demandContents(access)
      const { actor, repository } = access
      const { id } = repository
      const requesterId = actor.account.id
      const row = await store.write(
        async (trx) => {
          const before = await read(trx, id)
          if (!before) throw notFound()
          const isMirror = before.interval_ms !== null
          demand(
            isMirror || before.state !== 'complete',
            'conflict',
            'import-complete',
            'The import is complete: a repository is fetched again only if it is a mirror.',
          )
          if (!isMirror && intervalMinutes !== undefined)
            throw invalidField('interval_minutes', 'invalid', 'An import that happens once has no interval.')
          const isChanged = credentials !== undefined || intervalMinutes !== undefined
          const isTaken = isChanged && before.requester_id !== requesterId
          if (isTaken) await demandRoom(trx, requesterId, isMirror)
          const now = clock.now()
          const isFetching = before.state === 'fetching'
          // Later than the beginning of the one under way, whose end would otherwise answer for it.
          const earliest = (before.started_at ?? 0) + limits.againSeconds * 1000 + Number(isFetching)
          const nextAt = Math.max(now, earliest)
          const after = await trx
            .updateTable('repository_source')
            .set({
              ...(isChanged && { requester_id: requesterId }),
              ...(isTaken && { username: null, password: null }),
              ...(credentials && columnsOf(credentials)),
              ...(intervalMinutes !== undefined && { interval_ms: demandInterval(intervalMinutes) }),
              ...(!isFetching && { state: 'pending', failure: null }),
              next_at: nextAt,
              updated_at: now,
            })
            .where('repository_id', '=', id)
            .returningAll()
            .executeTakeFirstOrThrow()
          await job.enqueue(trx, id, nextAt)
          if (isChanged) await audit(trx, access, 'repo.mirror_update', before.url)
          return after
        },
        locksOf(id, requesterId),
      )
      return present(row)
    },

    /** Cancels an import; a mirror becomes an ordinary repository with what it has. A fetch under way ends. */
    async remove(access: Access<'admin'>): Promise<void> {
      const { id } = access.repository
      await store.write(
        async (trx) => {
          const before = await read(trx, id)
          if (!before) throw notFound()
          await trx.deleteFrom('repository_source').where('repository_id', '=', id).execute()
          await setMirrorUrlWithin(trx, id, null)
          await audit(trx, access, before.interval_ms === null ? 'repo.import_cancel' : 'repo.mirror_stop', before.url)
        },
        { locks: [`repository:${id}`] },
      )
    },
  }
}

const isOver = ({ interval_ms, state }: SourceRow): boolean =>
  interval_ms === null && (state === 'complete' || state === 'failed')

const alreadyOpen = (row: SourceRow | undefined): string =>
  row?.interval_ms === null
    ? 'An import into this repository is under way: wait for it, or cancel it.'
    : 'The repository is a mirror already: stop mirroring first.'

const columnsOf = ({ username, password }: GivenCredentials) =>
  password === undefined ? { username: null, password: null } : { username: username ?? null, password }
