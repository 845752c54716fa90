/** The row of an account as joined to other rows, and its conversion to an `Account`. */
import type { Account, Role } from './actor.ts'

/** The prefix avoids clashes with columns of the joined table. */
export const accountColumns = [
  'account.id as account_id',
  'account.kind as account_kind',
  'account.name as account_name',
  'account.display_name as account_display_name',
  'account.role as account_role',
  'account.created_at as account_created_at',
  'account.updated_at as account_updated_at',
  'account.suspended_at as account_suspended_at',
] as const

export type AccountRow = {
  account_id: number
  account_kind: Account['kind']
  account_name: string
  account_display_name: string
  account_role: Role
  account_created_at: number
  account_updated_at: number
  account_suspended_at: number | null
}

export const toAccount = (row: AccountRow): Account => ({
  id: row.account_id,
  kind: row.account_kind,
  name: row.account_name,
  displayName: row.account_display_name,
  role: row.account_role,
  createdAt: new Date(row.account_created_at),
  updatedAt: new Date(row.account_updated_at),
  isSuspended: row.account_suspended_at !== null,
})
