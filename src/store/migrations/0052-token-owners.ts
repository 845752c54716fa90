/** The one owner whose resources a fine-grained token is for. */
import type { Ddl } from './ddl.ts'

export const tokenOwners = ({ engine }: Ddl): string[] => [
  'alter table token add column resource_owner_id bigint references account (id) on delete cascade',
  'create index token_by_resource_owner on token (resource_owner_id)',
  // Existing tokens follow their selection: they are for the owner of their repositories. Tokens for all repositories,
  // for none, or for those of several owners are for their own account: for other owners they have a stranger's access.
  `update token set resource_owner_id = coalesce(
    (select case when count(distinct repository.owner_id) = 1 then min(repository.owner_id) end
      from repository where repository.id in (${selectedIds[engine]})),
    account_id)
    where kind = 'fine-grained' or (kind = 'app-user' and app_id is null)`,
  // Members who have signed on need not authorise their tokens again.
  `insert into credential_authorization (organisation_id, user_id, token_id, created_at)
    select identity.organisation_id, identity.user_id, token.id, token.created_at
    from token join sign_on_identity identity
      on identity.organisation_id = token.resource_owner_id and identity.user_id = token.account_id
    where token.kind = 'fine-grained'`,
]

const selectedIds = {
  sqlite: `select value from json_each(case when token.repositories like '[%' then token.repositories else '[]' end)`,
  postgres: `select cast(selected as bigint) from json_array_elements_text(
    case when token.repositories like '[%' then cast(token.repositories as json) else '[]' end) as selected`,
} as const
