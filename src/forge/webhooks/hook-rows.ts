/** The rows of hooks, found by owner. Another owner's hook is not found. */
import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import { notFound } from '../failures.ts'
import type { HookHolder, WebhookRow } from './webhook.ts'

export function selectHooks(on: Db, holder: HookHolder) {
  const all = on.selectFrom('webhook').selectAll()
  if (holder.kind === 'repository') return all.where('repository_id', '=', holder.repositoryId)
  if (holder.kind === 'organisation') return all.where('organisation_id', '=', holder.organisationId)
  if (holder.kind === 'app') return all.where('app_id', '=', holder.appId)
  return all.where('holder', '=', sql.lit('site'))
}

export async function findHook(on: Db, holder: HookHolder, id: number): Promise<WebhookRow> {
  const row = await selectHooks(on, holder).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

/** The lock for writes that depend on the holder's other hooks. */
export function withHooksLock(holder: HookHolder) {
  const ids = { repositoryId: 0, organisationId: 0, appId: 0, ...holder }
  const id = ids.repositoryId || ids.organisationId || ids.appId
  return { locks: [`webhooks:${holder.kind}:${id}`] }
}
