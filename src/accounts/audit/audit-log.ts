/** The audit log of access changes: written in the act's own transaction, read by admins and owners, never changed. */
import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { AuditEntryTable } from '../../store/schema/audit-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Actor } from '../actor.ts'

type Named = { readonly id: number; readonly name: string }

export type AuditAct = {
  /** In the public platform's words. */
  readonly action: string
  readonly organisation?: Named | undefined
  readonly repository?: Named | undefined
  /** The affected user. */
  readonly user?: Named | undefined
  /** Other useful facts; never a secret. */
  readonly data?: Readonly<Record<string, string | number | boolean | null | readonly string[]>>
}

export type AuditEntry = Selectable<AuditEntryTable>

/** Recorded in the act's transaction, so it exists exactly if the act does. */
export async function recordAudit(trx: Db, now: number, actor: Actor, act: AuditAct): Promise<void> {
  const { account, credential, address } = actor
  await trx
    .insertInto('audit_entry')
    .values({
      document_id: randomUUID(),
      action: act.action,
      category: 'web',
      actor_id: account?.id ?? null,
      actor_name: account?.name ?? null,
      address,
      token_id: credential.kind === 'token' ? credential.token.id : null,
      credential: credential.kind === 'token' ? credential.token.kind : credential.kind,
      organisation_id: act.organisation?.id ?? null,
      organisation_name: act.organisation?.name ?? null,
      repository_id: act.repository?.id ?? null,
      repository_name: act.repository?.name ?? null,
      user_id: act.user?.id ?? null,
      user_name: act.user?.name ?? null,
      data: JSON.stringify(act.data ?? {}),
      created_at: now,
    })
    .execute()
}

/** Whether the account is the actor of any audit entry, such as a sign-in. */
export async function hasActed(db: Db, accountId: number): Promise<boolean> {
  const query = db.selectFrom('audit_entry').select('id').where('actor_id', '=', accountId).limit(1)
  return (await query.executeTakeFirst()) !== undefined
}

export type AuditFilter = {
  readonly organisationId?: number | undefined
  readonly action?: string | undefined
  readonly actor?: string | undefined
  readonly user?: string | undefined
  readonly repository?: string | undefined
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  readonly category: 'web' | 'git' | 'all'
}

export type AuditPage = {
  readonly order: 'asc' | 'desc'
  /** The id of a known entry: continue after or before it, in the requested order. */
  readonly after?: number | undefined
  readonly before?: number | undefined
  readonly limit: number
}

const dayMs = 86_400_000
const portion = 500

export type AuditLog = ReturnType<typeof makeAuditLog>

export function makeAuditLog({ store, clock, keptDays }: { store: Store; clock: Clock; keptDays: number }) {
  const { db } = store

  const idsOf = (name: string) => db.selectFrom('account').select('id').where('name_key', '=', name.toLowerCase())

  function select(filter: AuditFilter) {
    let query = db.selectFrom('audit_entry').selectAll()
    if (filter.organisationId !== undefined) query = query.where('organisation_id', '=', filter.organisationId)
    if (filter.action !== undefined) {
      // `org` stands for every action that begins with `org.`.
      const whole = filter.action
      query = whole.includes('.')
        ? query.where('action', '=', whole)
        : query.where('action', '>=', `${whole}.`).where('action', '<', `${whole}/`)
    }
    if (filter.actor !== undefined) query = query.where('actor_id', 'in', idsOf(filter.actor))
    if (filter.user !== undefined) query = query.where('user_id', 'in', idsOf(filter.user))
    if (filter.repository !== undefined)
      query = query.where(sql<string>`lower(repository_name)`, '=', filter.repository.toLowerCase())
    if (filter.since) query = query.where('created_at', '>=', filter.since.getTime())
    if (filter.until) query = query.where('created_at', '<', filter.until.getTime())
    return filter.category === 'all' ? query : query.where('category', '=', filter.category)
  }

  return {
    /** A page by cursor, and whether more follows. No page numbers and no total: the log's size does not matter. */
    async list(filter: AuditFilter, page: AuditPage): Promise<{ entries: AuditEntry[]; isMore: boolean }> {
      const isBack = page.before !== undefined
      const direction = (page.order === 'asc') === isBack ? 'desc' : 'asc'
      const cursor = page.before ?? page.after
      let query = select(filter)
      if (cursor !== undefined) query = query.where('id', direction === 'asc' ? '>' : '<', cursor)
      const rows = await query
        .orderBy('id', direction)
        .limit(page.limit + 1)
        .execute()
      const entries = rows.slice(0, page.limit)
      return { entries: isBack ? entries.reverse() : entries, isMore: rows.length > page.limit }
    },

    /** The database itself refuses to delete entries younger than thirty days. */
    async prune(): Promise<void> {
      for (let deleted = portion; deleted >= portion; ) {
        const old = db
          .selectFrom('audit_entry')
          .select('id')
          .where('created_at', '<', clock.now() - keptDays * dayMs)
        const ids = (await old.limit(portion).execute()).map(({ id }) => id)
        if (ids.length > 0) await store.write((trx) => trx.deleteFrom('audit_entry').where('id', 'in', ids).execute())
        deleted = ids.length
      }
    },
  }
}
