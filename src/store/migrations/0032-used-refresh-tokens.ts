/** Exchanged refresh tokens: one that is used again was stolen, and revokes everything issued from it. */
import type { Ddl } from './ddl.ts'

export const usedRefreshTokens = (_ddl: Ddl): string[] => [
  `create table app_used_refresh (
    token_hash text primary key,
    grant_id bigint not null references app_grant (id) on delete cascade,
    family text not null,
    used_at bigint not null
  )`,
  'create index app_used_refresh_by_grant on app_used_refresh (grant_id)',
  'create index app_used_refresh_by_family on app_used_refresh (family, used_at)',
  'create index app_used_refresh_by_use on app_used_refresh (used_at)',
]
