/** SSH keys as they are read: with who added them and when they were last used. */
import type { Selectable } from 'kysely'
import type { SshKeyTable } from '../../store/schema/key-tables.ts'
import type { Db } from '../../store/schema/schema.ts'

export type SshKey = {
  readonly id: number
  readonly text: string
  readonly title: string
  readonly isReadOnly: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | undefined
  /** The user who added it. */
  readonly addedBy: string
}

export const selectKeys = (on: Db) =>
  on
    .selectFrom('ssh_key')
    .innerJoin('account', 'account.id', 'ssh_key.account_id')
    .leftJoin('token', (join) =>
      join.onRef('token.key_id', '=', 'ssh_key.id').on('token.kind', 'in', ['ssh-key', 'deploy-key']),
    )
    .selectAll('ssh_key')
    .select(['account.name as added_by', 'token.last_used_at'])

export type KeyRow = Selectable<SshKeyTable> & { readonly added_by: string; readonly last_used_at: number | null }

export const toKey = (row: KeyRow): SshKey => ({
  id: row.id,
  text: row.key_text,
  title: row.title,
  isReadOnly: row.is_read_only === 1,
  createdAt: new Date(row.created_at),
  lastUsedAt: row.last_used_at === null ? undefined : new Date(row.last_used_at),
  addedBy: row.added_by,
})
