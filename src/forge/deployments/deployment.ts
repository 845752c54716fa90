/** Deployments as the modules see them, and how they are read with their creators and apps. */

import type { Selectable } from 'kysely'
import type { DeploymentState, DeploymentStatusTable, DeploymentTable } from '../../store/schema/deployment-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import { type App, readApps } from '../apps/app.ts'
import { readPeople } from '../people/reading.ts'
import type { Person } from '../person.ts'

export type { DeploymentState }
export type Reviewer = { readonly userId: number } | { readonly teamId: number }

type Common = {
  readonly id: number
  readonly environment: string
  readonly creator: Person | null
  readonly app: App | null
  readonly createdAt: Date
}

export type Deployment = Common & {
  readonly sha: string
  readonly ref: string
  readonly task: string
  readonly originalEnvironment: string
  readonly description: string | null
  readonly payload: object | string
  readonly isTransient: boolean
  readonly isProduction: boolean
  readonly approval: DeploymentTable['approval']
  readonly updatedAt: Date
}

export type DeploymentStatus = Common & {
  readonly deploymentId: number
  readonly state: DeploymentState
  readonly description: string
  readonly environmentUrl: string
  readonly logUrl: string
}

type Owned = { readonly creator_id: number; readonly app_id: number | null }

async function readOwners(db: Db, rows: readonly Owned[]) {
  const people = await readPeople(
    db,
    rows.map(({ creator_id }) => creator_id),
  )
  const apps = await readApps(
    db,
    rows.flatMap(({ app_id }) => app_id ?? []),
  )
  return ({ creator_id, app_id }: Owned) => ({
    creator: people.get(creator_id) ?? null,
    app: app_id === null ? null : (apps.get(app_id) ?? null),
  })
}

export async function toDeployments(db: Db, rows: readonly Selectable<DeploymentTable>[]): Promise<Deployment[]> {
  const owners = await readOwners(db, rows)
  return rows.map((row) => ({
    ...{ id: row.id, sha: row.sha, ref: row.ref, task: row.task, environment: row.environment },
    ...{ originalEnvironment: row.original_environment, description: row.description, approval: row.approval },
    ...owners(row),
    payload: JSON.parse(row.payload),
    isTransient: row.is_transient === 1,
    isProduction: row.is_production === 1,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }))
}

export async function toStatuses(
  db: Db,
  rows: readonly Selectable<DeploymentStatusTable>[],
): Promise<DeploymentStatus[]> {
  const owners = await readOwners(db, rows)
  return rows.map((row) => ({
    ...{ id: row.id, deploymentId: row.deployment_id, state: row.state, description: row.description },
    ...{ environment: row.environment, environmentUrl: row.environment_url, logUrl: row.log_url },
    ...owners(row),
    createdAt: new Date(row.created_at),
  }))
}
