/** An app as the modules see it: name, owner and requested permissions. */
import { type Selectable, sql } from 'kysely'
import type { AccessLevel } from '../../accounts/tokens/token.ts'
import { type JsonRows, jsonRows, readJson } from '../../store/json-rows.ts'
import type { AppTable } from '../../store/schema/app-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import { type Person, toPerson } from '../person.ts'

export type Permissions = Readonly<Record<string, AccessLevel>>

export type App = {
  readonly id: number
  readonly kind: 'app' | 'oauth'
  readonly slug: string
  readonly owner: Person
  /** If so, the app has no rights. */
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

/** All columns except the hook's secret. */
const appColumns = [
  ...(['app.id', 'app.kind', 'app.slug', 'app.owner_id', 'app.bot_id', 'app.client_id', 'app.name'] as const),
  ...(['app.description', 'app.url', 'app.callback_urls', 'app.permissions', 'app.events', 'app.hook_url'] as const),
  ...(['app.is_hook_active', 'app.is_public', 'app.is_confidential', 'app.takes_device_flow'] as const),
  ...(['app.created_at', 'app.updated_at'] as const),
]

/** Apps with their owners. */
export const selectApps = (db: Db) =>
  db
    .selectFrom('app')
    .innerJoin('account as owner', 'owner.id', 'app.owner_id')
    .select(appColumns)
    .select(['owner.kind as owner_kind', 'owner.name as owner_name', 'owner.role as owner_role'])
    .select('owner.suspended_at as owner_suspended_at')

export type AppRow = Awaited<ReturnType<ReturnType<typeof selectApps>['executeTakeFirstOrThrow']>>

export const toApp = (row: AppRow): App => ({
  ...toPlain(row),
  owner: toPerson({ id: row.owner_id, kind: row.owner_kind, name: row.owner_name, role: row.owner_role }),
  isOwnerSuspended: row.owner_suspended_at !== null,
})

const toPlain = (row: Omit<Selectable<AppTable>, 'hook_secret'>): Omit<App, 'owner' | 'isOwnerSuspended'> => ({
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

/** The apps by id, without duplicates. */
export async function readApps(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, App>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const rows = await selectApps(db).where('app.id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, toApp(row)]))
}

/** The app whose id is in `column`, read with its row. */
export const appBy = (db: Db, column: string) =>
  jsonRows<AppRow>(db, selectApps(db).where('app.id', '=', sql.ref<number>(column)))

export const readApp = (rows: JsonRows<AppRow>): App | null => {
  const [row] = readJson(rows)
  return row ? toApp(row) : null
}
