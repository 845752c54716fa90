/** Single sign-on of organisations: their providers, the identities of accounts there, and authorised tokens. */
import type { Ddl } from './ddl.ts'

export const singleSignOn = ({ id }: Ddl): string[] => [
  `create table single_sign_on (
    organisation_id bigint primary key references account (id) on delete cascade,
    is_required bigint not null,
    kind text not null,
    settings text not null,
    signing_key text not null,
    updated_at bigint not null
  )`,
  // A member who leaves the organisation loses their identity there, and the authorisation of their tokens.
  `create table sign_on_identity (
    organisation_id bigint not null,
    user_id bigint not null,
    issuer text not null,
    subject text not null,
    created_at bigint not null,
    primary key (organisation_id, user_id),
    unique (organisation_id, issuer, subject),
    foreign key (organisation_id, user_id) references organisation_member (organisation_id, user_id) on delete cascade
  )`,
  `create table credential_authorization (
    id ${id},
    organisation_id bigint not null,
    user_id bigint not null,
    token_id bigint not null references token (id) on delete cascade,
    created_at bigint not null,
    unique (token_id, organisation_id),
    foreign key (organisation_id, user_id) references sign_on_identity (organisation_id, user_id) on delete cascade
  )`,
  'create index credential_authorization_by_organisation on credential_authorization (organisation_id, id)',
  'create index credential_authorization_by_user on credential_authorization (organisation_id, user_id)',
  `create table sign_on_attempt (
    id ${id},
    organisation_id bigint not null references account (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    token_id bigint not null references token (id) on delete cascade,
    address_hash text not null unique,
    reply_hash text not null unique,
    secrets text not null,
    issuer text,
    subject text,
    ticket_hash text unique,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index sign_on_attempt_by_user on sign_on_attempt (user_id, expires_at)',
  'create index sign_on_attempt_by_expiry on sign_on_attempt (expires_at)',
  'create index sign_on_attempt_by_organisation on sign_on_attempt (organisation_id)',
  'create index sign_on_attempt_by_token on sign_on_attempt (token_id)',
  `create table sign_on_assertion (
    organisation_id bigint not null references account (id) on delete cascade,
    assertion_hash text not null,
    expires_at bigint not null,
    primary key (organisation_id, assertion_hash)
  )`,
  'create index sign_on_assertion_by_expiry on sign_on_assertion (expires_at)',
]
