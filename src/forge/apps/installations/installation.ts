/** An installation: the account, the granted permissions and the repositories. */

import type { Selectable } from 'kysely'
import type { AppInstallationTable } from '../../../store/schema/app-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { readPeople } from '../../people/reading.ts'
import type { Person } from '../../person.ts'
import { type App, type Permissions, readApps } from '../app.ts'
import { intersect } from '../permissions.ts'

export type Installation = {
  readonly id: number
  readonly app: App
  readonly account: Person
  /** The granted permissions that the app still requests. */
  readonly permissions: Permissions
  readonly events: readonly string[]
  readonly selection: 'all' | 'selected'
  readonly suspendedAt: Date | null
  readonly suspendedBy: Person | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type InstallationRow = Selectable<AppInstallationTable>

export const selectInstallations = (db: Db) => db.selectFrom('app_installation').selectAll('app_installation')

/** In the order of the rows. */
export async function completeInstallations(db: Db, rows: readonly InstallationRow[]): Promise<Installation[]> {
  const apps = await readApps(
    db,
    rows.map(({ app_id }) => app_id),
  )
  const people = await readPeople(
    db,
    rows.flatMap(({ account_id, suspended_by_id }) => [account_id, ...(suspended_by_id ? [suspended_by_id] : [])]),
  )
  return rows.map((row) => {
    const app = apps.get(row.app_id)!
    return {
      id: row.id,
      app,
      account: people.get(row.account_id)!,
      permissions: intersect(JSON.parse(row.permissions), app.permissions),
      events: JSON.parse(row.events),
      selection: row.selection,
      suspendedAt: row.suspended_at === null ? null : new Date(row.suspended_at),
      suspendedBy: row.suspended_by_id === null ? null : (people.get(row.suspended_by_id) ?? null),
      createdAt: new Date(row.created_at),
      updatedAt: new Date(row.updated_at),
    }
  })
}

/** The repositories of an installation with chosen repositories. */
export async function listChosen(db: Db, installationId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('app_installation_repository')
    .select('repository_id')
    .where('installation_id', '=', installationId)
    .orderBy('repository_id')
    .execute()
  return rows.map(({ repository_id }) => repository_id)
}
