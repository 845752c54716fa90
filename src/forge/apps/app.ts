/** An app as the rooms see it: what it is called, whose it is, and what it asks for. */
import type { Selectable } from 'kysely'
import type { AccessLevel } from '../../accounts/tokens/token.ts'
import type { AppTable } from '../../store/schema/apps.ts'
import type { Db } from '../../store/schema/schema.ts'
import { type Person, toPerson } from '../person.ts'

export type Permissions = Readonly<Record<string, AccessLevel>>

export type App = {
  readonly id: number
  readonly kind: 'app' | 'oauth'
  readonly slug: string
  readonly owner: Person
  /** Then the app may nothing. */
  readonly isOwnerSuspended: boolean
  readonly botId: number | null
  readonly clientId: string
  readonly name: string
  readonly description: string
  readonly url: string
  readonly callbackUrls: readonly string[]
  readonly permissions: Permissions
  readonly events: readonly string[]
  readonly hookUrl: string | null
  readonly isHookActive: boolean
  readonly isPublic: boolean
  readonly isConfidential: boolean
  readonly takesDeviceFlow: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** With whose they are. */
export const selectApps = (db: Db) =>
  db
    .selectFrom('app')
    .innerJoin('account as owner', 'owner.id', 'app.owner_id')
    .selectAll('app')
    .select(['owner.kind as owner_kind', 'owner.name as owner_name', 'owner.role as owner_role'])
    .select('owner.suspended_at as owner_suspended_at')

export type AppRow = Awaited<ReturnType<ReturnType<typeof selectApps>['executeTakeFirstOrThrow']>>

export const toApp = (row: AppRow): App => ({
  ...toPlain(row),
  owner: toPerson({ id: row.owner_id, kind: row.owner_kind, name: row.owner_name, role: row.owner_role }),
  isOwnerSuspended: row.owner_suspended_at !== null,
})

const toPlain = (row: Selectable<AppTable>): Omit<App, 'owner' | 'isOwnerSuspended'> => ({
  id: row.id,
  kind: row.kind,
  slug: row.slug,
  botId: row.bot_id,
  clientId: row.client_id,
  name: row.name,
  description: row.description,
  url: row.url,
  callbackUrls: JSON.parse(row.callback_urls),
  permissions: JSON.parse(row.permissions),
  events: JSON.parse(row.events),
  hookUrl: row.hook_url,
  isHookActive: row.is_hook_active === 1,
  isPublic: row.is_public === 1,
  isConfidential: row.is_confidential === 1,
  takesDeviceFlow: row.takes_device_flow === 1,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/** By id, each once. */
export async function readApps(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, App>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await selectApps(db).where('app.id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, toApp(row)]))
}
