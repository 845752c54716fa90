/** The rows of tokens: how they are selected, and what is read from one. */
import { type Selectable, sql } from 'kysely'
import type { TokenTable } from '../store/schema/account-tables.ts'
import type { Db } from '../store/schema/schema.ts'
import { accountColumns, toAccount } from './account-row.ts'
import type { Account } from './actor.ts'
import type { Token } from './tokens/token.ts'

export type FoundToken = {
  readonly token: Token
  readonly account: Account
  /** Until when credentials of the account or of the sender are locked out; 0 if never. */
  readonly blockedUntil: number
}

/** The tables that a token is read from. */
export const tokenTables = [
  ...(['token', 'account', 'lockout', 'organisation_member', 'single_sign_on', 'credential_authorization'] as const),
]

const ownerName = sql<string | null>`(select o.name from account o where o.id = token.resource_owner_id)`.as(
  'resource_owner_name',
)

/**
 * Read with the token itself, because every request with a personal token needs it. A fine-grained token reaches its
 * owner alone, and needs the authorization even if its user is no longer a member: it ends with the identity.
 */
const lackingSignOn = sql<string | null>`(case when token.kind in ('classic', 'ssh-key') then
  (select string_agg(cast(m.organisation_id as text), ',')
    from organisation_member m
    join single_sign_on s on s.organisation_id = m.organisation_id and s.is_required = 1
    where m.user_id = token.account_id and m.state = 'active'
      and not exists (select 1 from credential_authorization a
        where a.token_id = token.id and a.organisation_id = m.organisation_id))
  when token.kind = 'fine-grained' then
  (select cast(s.organisation_id as text) from single_sign_on s
    where s.organisation_id = token.resource_owner_id and s.is_required = 1
      and not exists (select 1 from credential_authorization a
        where a.token_id = token.id and a.organisation_id = s.organisation_id))
  end)`.as('lacking_sign_on')

/** Tokens alone, without the account that acts. */
export const selectBareTokens = (db: Db) => db.selectFrom('token').selectAll('token').select([ownerName, lackingSignOn])

/** Joined with the account that acts. */
export const selectTokens = (db: Db) =>
  db
    .selectFrom('token')
    .innerJoin('account', (join) => join.on('account.id', '=', sql<number>`coalesce(token.actor_id, token.account_id)`))
    .selectAll('token')
    .select('token.account_id as holder_id')
    .select(accountColumns)
    .select([ownerName, lackingSignOn])

type FoundRow = Awaited<ReturnType<ReturnType<typeof selectTokens>['executeTakeFirstOrThrow']>>

/** The acting account is joined under the token account's column name. */
export const toFound = (row: FoundRow): Omit<FoundToken, 'blockedUntil'> => ({
  token: toToken({ ...row, account_id: row.holder_id }),
  account: toAccount(row),
})

const readIds = (text: string | null): readonly number[] =>
  text
    ? text
        .split(',')
        .map(Number)
        .sort((a, b) => a - b)
    : []

type TokenRow = Selectable<TokenTable> & {
  readonly resource_owner_name: string | null
  readonly lacking_sign_on: string | null
}

export function toToken(row: TokenRow): Token {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: row.kind,
    hint: row.hint,
    note: row.note,
    scopes: JSON.parse(row.scopes),
    permissions: JSON.parse(row.permissions),
    repositories: JSON.parse(row.repositories),
    expiresAt: row.expires_at === null ? undefined : new Date(row.expires_at),
    lastUsedAt: row.last_used_at === null ? undefined : new Date(row.last_used_at),
    resourceOwner:
      row.resource_owner_id === null ? undefined : { id: row.resource_owner_id, name: row.resource_owner_name ?? '' },
    lacksSignOnFor: readIds(row.lacking_sign_on),
    isBanned: row.banned_at !== null,
    createdAt: new Date(row.created_at),
    app:
      row.app_id === null
        ? undefined
        : { id: row.app_id, installationId: row.installation_id ?? undefined, grantId: row.grant_id ?? undefined },
  }
}
