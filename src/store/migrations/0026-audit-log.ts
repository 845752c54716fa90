/** The audit log. The database itself refuses to change an entry, or to delete one younger than thirty days. */
import type { Ddl } from './ddl.ts'

export const auditLog = ({ engine, id }: Ddl): string[] => [
  `create table audit_entry (
    id ${id},
    document_id text not null,
    action text not null,
    category text not null,
    actor_id bigint,
    actor_name text,
    address text not null,
    token_id bigint,
    credential text not null,
    organisation_id bigint,
    organisation_name text,
    repository_id bigint,
    repository_name text,
    user_id bigint,
    user_name text,
    data text not null,
    created_at bigint not null
  )`,
  'create index audit_entry_by_organisation on audit_entry (organisation_id, id) where organisation_id is not null',
  'create index audit_entry_by_action on audit_entry (action, id)',
  'create index audit_entry_by_actor on audit_entry (actor_id, id)',
  'create index audit_entry_by_user on audit_entry (user_id, id)',
  'create index audit_entry_by_repository on audit_entry (repository_id, id)',
  'create index audit_entry_by_time on audit_entry (created_at)',
  ...(engine === 'sqlite' ? sqliteGuards : postgresGuards),
]

const dayMs = 86_400_000
const refusal = 'The audit log is append-only.'

const sqliteGuards = [
  `create trigger audit_entry_unchanged before update on audit_entry begin select raise(abort, '${refusal}'); end`,
  `create trigger audit_entry_kept before delete on audit_entry
    when old.created_at > unixepoch() * 1000 - ${30 * dayMs}
    begin select raise(abort, '${refusal}'); end`,
]

const postgresGuards = [
  `create function refuse_audit_change() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' and old.created_at <= extract(epoch from now()) * 1000 - ${30 * dayMs} then return old; end if;
    raise exception '${refusal}';
  end $$`,
  `create trigger audit_entry_unchanged before update or delete on audit_entry
    for each row execute function refuse_audit_change()`,
]
