/** Workflow runs: an automation's work on one repository, and its tokens, which expire with the run. */
import type { Selectable } from 'kysely'
import type { Accounts } from '../../accounts/accounts.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { TokenDraft, Tokens } from '../../accounts/tokens.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { WorkflowRunTable } from '../../store/schema/app-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository } from '../access/audit-place.ts'
import type { Access } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { hasScopes, reachAt, rightsHolderOf, tokenOf } from '../access/required-grant.ts'
import { invalidField, notFound } from '../failures.ts'
import { readPeople } from '../people/reading.ts'
import type { Person } from '../person.ts'
import { readPage } from '../row-pages.ts'
import type { Permissions } from './app.ts'
import { tokenLifetimeMs } from './installations/installation-tokens.ts'
import { demandKnownPermissions, findExcess, intersect, withMetadata } from './permissions.ts'

export type WorkflowRun = {
  readonly id: number
  readonly name: string
  readonly startedBy: Person | null
  readonly appId: number | null
  readonly createdAt: Date
  /** The run ends at this time, unless it is ended before. */
  readonly expiresAt: Date
  readonly endedAt: Date | null
}

export type RunToken = { readonly text: string; readonly expiresAt: Date; readonly permissions: Permissions }

const hourMs = 60 * 60 * 1000
/** As long as the public platform lets a job run. */
const longestRunMs = 6 * hourMs
const keptMs = 30 * 24 * hourMs
const maxOpenRuns = 500
const maxTokens = 100

/** The most permissions of a run: to work with the repository, but not to change access to it. */
const runPermissions: Permissions = {
  ...{ actions: 'write', checks: 'write', contents: 'write', deployments: 'write', issues: 'write', packages: 'write' },
  ...{ pages: 'write', pull_requests: 'write', repository_projects: 'write', security_events: 'write' },
  ...{ statuses: 'write', metadata: 'read' },
}

type Needs = { store: Store; clock: Clock; jobs: Jobs; accounts: Accounts; tokens: Tokens }

export type WorkflowRuns = ReturnType<typeof makeWorkflowRuns>

export function makeWorkflowRuns({ store, clock, jobs, accounts, tokens }: Needs) {
  const { db } = store
  const ofRepository = (on: Db, { id }: Repository) =>
    on.selectFrom('workflow_run').selectAll().where('repository_id', '=', id)

  async function complete(rows: readonly Row[]): Promise<WorkflowRun[]> {
    const people = await readPeople(
      db,
      rows.flatMap(({ started_by_id: id }) => (id === null ? [] : [id])),
    )
    return rows.map((row) => toRun(row, people, clock.now()))
  }

  async function read(on: Db, repository: Repository, id: number): Promise<Row> {
    const row = await ofRepository(on, repository).where('id', '=', id).executeTakeFirst()
    if (!row) throw notFound()
    return row
  }

  const get = async (repository: Repository, id: number): Promise<WorkflowRun> =>
    (await complete([await read(db, repository, id)]))[0]!

  async function demandSpace(trx: Db, repository: Repository, now: number): Promise<void> {
    const { count } = await trx
      .selectFrom('workflow_run')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('repository_id', '=', repository.id)
      .where('ended_at', 'is', null)
      .where('created_at', '>', now - longestRunMs)
      .executeTakeFirstOrThrow()
    const isWithin = Number(count) < maxOpenRuns
    demand(isWithin, 'limited', 'quota', `A repository has ${maxOpenRuns} runs at once: end one first.`)
  }

  jobs.define('workflow-runs.prune', async () => {
    const before = clock.now() - keptMs
    await store.write((trx) => trx.deleteFrom('workflow_run').where('created_at', '<', before).execute())
  })
  jobs.every('workflow-runs.prune', hourMs)

  return {
    get,

    list: async (repository: Repository, request: PageRequest): Promise<Page<WorkflowRun>> => {
      const page = await readPage(ofRepository(db, repository).orderBy('id', 'desc'), request, (row) => row)
      return { ...page, items: await complete(page.items) }
    },

    async start({ actor, repository }: Access<'admin'>, name: string): Promise<WorkflowRun> {
      const now = clock.now()
      const { id } = await store.write(
        async (trx) => {
          await demandSpace(trx, repository, now)
          const row = await trx
            .insertInto('workflow_run')
            .values({
              repository_id: repository.id,
              name,
              app_id: tokenOf(actor)?.app?.id ?? null,
              started_by_id: actor.account.id,
              created_at: now,
              ended_at: null,
            })
            .returning('id')
            .executeTakeFirstOrThrow()
          const data = { workflow_run_id: row.id, name }
          const action = 'workflows.created_workflow_run'
          await recordAudit(trx, now, actor, { action, ...auditRepository(repository), data })
          return row
        },
        { locks: [`workflow-runs:${repository.id}`] },
      )
      return get(repository, id)
    },

    /**
     * A token for this repository while the run lasts, with the requested permissions, or all that the caller can
     * grant.
     */
    async mint(access: Access<'admin'>, id: number, asked: Permissions | undefined): Promise<RunToken> {
      const { actor, repository } = access
      const own = tokenOf(actor)
      // Scopes belong to people: a caller with scopes may grant everything that a run can have.
      const isNarrow = own !== undefined && !hasScopes(own)
      const reach = isNarrow ? (reachAt(own, repository.owner)?.permissions ?? {}) : {}
      const most = isNarrow ? intersect(runPermissions, withMetadata(reach)) : runPermissions
      const permissions = asked ? narrow(asked, most) : most
      const holder = await accounts.findById(rightsHolderOf(actor)!)
      if (!holder) throw notFound()
      const draft: Omit<TokenDraft, 'expiresAt'> = {
        ...{ kind: 'workflow', permissions, repositories: [repository.id], runId: id },
        ...omitUndefined({
          actorId: holder.id === actor.account.id ? undefined : actor.account.id,
          // The token stays bound to the installation: rights that the installation loses, the run loses, too.
          app: own?.kind === 'installation' ? toDraftApp(own.app) : undefined,
        }),
      }
      return store.write(
        async (trx) => {
          const row = await read(trx, repository, id)
          const now = clock.now()
          demand(isOpen(row, now), 'conflict', 'run-over', 'The run is over: start another one.')
          const count = await tokens.countOfRun(trx, id)
          demand(count < maxTokens, 'limited', 'quota', `A run can have at most ${maxTokens} tokens: use one of those.`)
          const expiresAt = new Date(Math.min(now + tokenLifetimeMs, row.created_at + longestRunMs))
          const { text } = await tokens.make(holder, { ...draft, expiresAt }, trx, actor)
          return { text, expiresAt, permissions }
        },
        { locks: [`workflow-runs:${repository.id}`] },
      )
    },

    /** Ends all its tokens as well. Ending a run twice changes nothing. */
    async end({ actor, repository }: Access<'admin'>, id: number): Promise<WorkflowRun> {
      await store.write(
        async (trx) => {
          const row = await read(trx, repository, id)
          const now = clock.now()
          await tokens.end(trx, { runId: id })
          if (!isOpen(row, now)) return
          await trx.updateTable('workflow_run').set({ ended_at: now }).where('id', '=', id).execute()
          const data = { workflow_run_id: id, name: row.name }
          const action = 'workflows.completed_workflow_run'
          await recordAudit(trx, now, actor, { action, ...auditRepository(repository), data })
        },
        { locks: [`workflow-runs:${repository.id}`] },
      )
      return get(repository, id)
    },
  }
}

type Row = Selectable<WorkflowRunTable>

const isOpen = (row: Row, now: number): boolean => row.ended_at === null && row.created_at + longestRunMs > now

function toRun(row: Row, people: ReadonlyMap<number, Person>, now: number): WorkflowRun {
  const expiresAt = row.created_at + longestRunMs
  const endedAt = row.ended_at ?? (expiresAt <= now ? expiresAt : null)
  return {
    id: row.id,
    name: row.name,
    startedBy: row.started_by_id === null ? null : (people.get(row.started_by_id) ?? null),
    appId: row.app_id,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(expiresAt),
    endedAt: endedAt === null ? null : new Date(endedAt),
  }
}

function narrow(asked: Permissions, most: Permissions): Permissions {
  demandKnownPermissions(asked)
  const excess = findExcess(asked, most)
  if (excess !== undefined)
    throw invalidField('permissions', 'invalid', `A run can’t be given ${excess} at this level by who asks.`)
  return withMetadata(asked)
}

function toDraftApp(app: { id: number; installationId: number | undefined } | undefined): TokenDraft['app'] {
  return app && { id: app.id, ...omitUndefined({ installationId: app.installationId }) }
}
