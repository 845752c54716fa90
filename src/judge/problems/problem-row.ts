/** The row of a problem, joined to its author, and the problem as other modules see it. */
import { type AccountRow, accountColumns, toAccount } from '../../accounts/account-row.ts'
import type { Account } from '../../accounts/actor.ts'
import { hideTestHash } from './test-list.ts'

export type Example = { readonly input: string; readonly output: string }

export type ProblemSnippet = {
  readonly id: number
  readonly uuid: string
  readonly displayName: string
  readonly author: Account
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  readonly isHeld: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type Problem = ProblemSnippet & {
  readonly description: string
  readonly examples: readonly Example[]
  readonly testHash: string
}

export const problemSnippetColumns = [
  'problem.id',
  'problem.uuid',
  'problem.display_name',
  'problem.time_limit_ms',
  'problem.memory_limit_bytes',
  'problem.is_held',
  'problem.created_at',
  'problem.updated_at',
  ...accountColumns,
] as const

export const problemColumns = [
  ...problemSnippetColumns,
  'problem.description',
  'problem.examples',
  'problem.hash_key',
  'problem.test_hash',
] as const

type SnippetRow = AccountRow & {
  id: number
  uuid: string
  display_name: string
  time_limit_ms: number
  memory_limit_bytes: number
  is_held: number
  created_at: number
  updated_at: number
}

type Row = SnippetRow & { description: string; examples: string; hash_key: string; test_hash: string }

export const toProblemSnippet = (row: SnippetRow): ProblemSnippet => ({
  id: row.id,
  uuid: row.uuid,
  displayName: row.display_name,
  author: toAccount(row),
  timeLimitMs: row.time_limit_ms,
  memoryLimitBytes: row.memory_limit_bytes,
  isHeld: row.is_held === 1,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

export const toProblem = (row: Row): Problem => ({
  ...toProblemSnippet(row),
  description: row.description,
  examples: JSON.parse(row.examples),
  testHash: hideTestHash(row.hash_key, row.test_hash),
})
