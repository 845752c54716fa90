/** Hooks of apps: an app receives the events of its installations that their permissions let it see. */
import { type SqlBool, sql } from 'kysely'
import type { Accounts } from '../../accounts/accounts.ts'
import type { SignedIn } from '../../accounts/actor.ts'
import { hasPermission, type Token } from '../../accounts/tokens/token.ts'
import type { Db } from '../../store/schema/schema.ts'
import { listChosen } from '../apps/installations/installation.ts'
import { intersect } from '../apps/permissions.ts'
import type { DeliveryRow } from './queue/delivery.ts'
import type { HookEventName, WebhookRow } from './webhook.ts'

/** An installation needs one of these permissions to receive the event. */
const permissionsFor: Readonly<Partial<Record<HookEventName, readonly string[]>>> = {
  check_run: ['checks'],
  check_suite: ['checks'],
  commit_comment: ['contents'],
  create: ['contents'],
  delete: ['contents'],
  deployment: ['deployments'],
  deployment_status: ['deployments'],
  fork: ['contents'],
  issue_comment: ['issues', 'pull_requests'],
  issues: ['issues'],
  label: ['metadata'],
  member: ['members'],
  membership: ['members'],
  milestone: ['issues', 'pull_requests'],
  organization: ['members'],
  public: ['metadata'],
  pull_request: ['pull_requests'],
  pull_request_review: ['pull_requests'],
  pull_request_review_comment: ['pull_requests'],
  push: ['contents'],
  release: ['contents'],
  repository: ['metadata'],
  repository_dispatch: ['contents'],
  star: ['metadata'],
  status: ['statuses'],
  team: ['members'],
  team_add: ['members'],
  watch: ['metadata'],
}

type Permissions = Parameters<typeof intersect>[0]

const maySubscribe = (permissions: Permissions, event: HookEventName): boolean =>
  (permissionsFor[event] ?? []).some((name) => hasPermission({ permissions }, name, 'read'))

const isActive = sql<SqlBool>`app.is_hook_active = 1 and app.hook_url is not null`

const select = (db: Db) =>
  db
    .selectFrom('app_installation')
    .innerJoin('app', 'app.id', 'app_installation.app_id')
    .innerJoin('account as owner', 'owner.id', 'app.owner_id')
    .select(['app_installation.id', 'app_installation.account_id', 'app_installation.selection', 'app.owner_id'])
    .select(['app.id as app_id', 'app.hook_url', 'app.hook_secret', 'app.is_hook_active'])
    .select(['app.permissions as asked', 'app_installation.permissions as given', 'app_installation.events'])
    .where('app_installation.suspended_at', 'is', null)
    .where('owner.suspended_at', 'is', null)

/** A hook, and the installation through which it receives the event. */
export type Listener = { readonly hook: WebhookRow; readonly installationId: number | null }

/** The hooks of apps installed on the account at that time, including this repository. */
export async function listAppHooks(
  trx: Db,
  accountId: number,
  { repositoryId, at }: { readonly repositoryId?: number | undefined; readonly at: number },
  now: number,
): Promise<Listener[]> {
  const installed = await select(trx)
    .where('app_installation.account_id', '=', accountId)
    .where('app_installation.created_at', '<=', at)
    .where(isActive)
    .where((eb) =>
      repositoryId === undefined
        ? eb.lit(true)
        : eb.or([
            eb('app_installation.selection', '=', 'all'),
            eb.exists(
              eb
                .selectFrom('app_installation_repository as chosen')
                .select('chosen.repository_id')
                .whereRef('chosen.installation_id', '=', 'app_installation.id')
                .where('chosen.repository_id', '=', repositoryId),
            ),
          ]),
    )
    .orderBy('app_installation.id')
    .execute()
  const listeners: Listener[] = []
  for (const row of installed) {
    const permissions = intersect(JSON.parse(row.given), JSON.parse(row.asked))
    const events = (JSON.parse(row.events) as HookEventName[]).filter((event) => maySubscribe(permissions, event))
    const hook = await demandAppHook(trx, row.app_id, now)
    listeners.push({ hook: { ...hook, events: JSON.stringify(events) }, installationId: row.id })
  }
  return listeners
}

/** The hook of an installation's app, whatever its permissions. */
export async function findAppListener(
  trx: Db,
  { id, appId }: { readonly id: number; readonly appId: number },
  now: number,
): Promise<Listener[]> {
  const app = await trx.selectFrom('app').select('id').where('id', '=', appId).where(isActive).executeTakeFirst()
  return app ? [{ hook: await demandAppHook(trx, appId, now), installationId: id }] : []
}

/** Deliveries belong to a row of `webhook`, which is made at the app's first delivery. */
export async function demandAppHook(trx: Db, appId: number, now: number, base = ''): Promise<WebhookRow> {
  const known = await findAppHook(trx, appId)
  if (known && base !== '' && known.base_url !== base)
    await trx.updateTable('webhook').set({ base_url: base }).where('id', '=', known.id).execute()
  if (known) return known
  const app = await trx.selectFrom('app').select('owner_id').where('id', '=', appId).executeTakeFirstOrThrow()
  await trx
    .insertInto('webhook')
    .values({
      ...{ holder: 'app', repository_id: null, organisation_id: null, app_id: appId, owner_id: app.owner_id },
      ...{ url: '', content_type: 'json', secret: null, is_insecure: 0, events: '[]', is_active: 1 },
      base_url: base,
      ...{ failure_count: 0, paused_until: 0, last_code: null, last_status: 'unused', last_message: null },
      ...{ created_at: now, updated_at: now },
    })
    .execute()
  return (await findAppHook(trx, appId))!
}

export async function findAppHook(db: Db, appId: number): Promise<WebhookRow | undefined> {
  const row = await db.selectFrom('webhook').selectAll().where('app_id', '=', appId).executeTakeFirst()
  return row && completeAppHook(db, row)
}

/** Completes the row with the app's current settings. */
export async function completeAppHook(db: Db, row: WebhookRow): Promise<WebhookRow | undefined> {
  if (row.app_id === null) return row
  const app = await db.selectFrom('app').selectAll().where('id', '=', row.app_id).executeTakeFirst()
  return (
    app && {
      ...row,
      url: app.hook_url ?? '',
      secret: app.hook_secret,
      events: app.events,
      owner_id: app.owner_id,
      is_active: app.hook_url === null ? 0 : app.is_hook_active,
    }
  )
}

/** The installation as a viewer, with a token of its permissions; undefined if these no longer suffice. */
export async function findInstallationViewer(
  db: Db,
  accounts: Accounts,
  { event, installation_id, repository_id }: Pick<DeliveryRow, 'event' | 'installation_id' | 'repository_id'>,
): Promise<SignedIn | undefined> {
  const row = await select(db)
    .where('app_installation.id', '=', installation_id ?? 0)
    .executeTakeFirst()
  const account = row && (await accounts.findById(row.account_id))
  if (!account || account.isSuspended) return undefined
  const permissions = intersect(JSON.parse(row.given), JSON.parse(row.asked))
  if (!maySubscribe(permissions, event as HookEventName)) return undefined
  const repositories = row.selection === 'all' ? 'all' : await listChosen(db, row.id)
  if (repository_id !== null && repositories !== 'all' && !repositories.includes(repository_id)) return undefined
  const token: Token = {
    ...{
      id: 0,
      accountId: account.id,
      kind: 'installation',
      hint: '',
      note: '',
      scopes: [],
      permissions,
      repositories,
    },
    ...{
      expiresAt: undefined,
      lastUsedAt: undefined,
      lacksSignOnFor: [],
      resourceOwner: undefined,
      isBanned: false,
      createdAt: new Date(0),
    },
    app: { id: row.app_id, installationId: row.id, grantId: undefined },
  }
  return { account: { ...account, role: 'contestant' }, credential: { kind: 'token', token }, address: 'house' }
}
