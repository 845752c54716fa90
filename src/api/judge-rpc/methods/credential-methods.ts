/** JSON-RPC methods of the caller's own sessions and personal tokens. */

import { Type } from 'typebox'
import type { Actor } from '../../../accounts/actor.ts'
import type { OwnCredentials } from '../../../accounts/own-credentials.ts'
import type { SessionEntry } from '../../../accounts/sign-in/sessions.ts'
import type { AccessLevel, Token } from '../../../accounts/tokens/token.ts'
import { defineMethod, type Method } from '../method.ts'
import { Empty, NullableUint64, orNull, PageParams, Text, toPage, Uint64 } from '../shapes/basic-shapes.ts'

const SessionSchema = Type.Object({
  ID: Type.String(),
  CreatedTime: Uint64,
  LastUsedTime: Uint64,
  ExpiryTime: Uint64,
  IsCurrent: Type.Boolean(),
})

const presentSession = ({ id, hash, createdAt, lastUsedAt, expiresAt }: SessionEntry, { credential }: Actor) => ({
  ID: id,
  CreatedTime: createdAt.getTime(),
  LastUsedTime: lastUsedAt.getTime(),
  ExpiryTime: expiresAt.getTime(),
  IsCurrent: credential.kind === 'session' && credential.hash === hash,
})

const Kind = Type.Unsafe<'classic' | 'fine-grained'>({ type: 'string', enum: ['classic', 'fine-grained'] })
const Level = Type.Unsafe<AccessLevel>({ type: 'string', enum: ['read', 'write', 'admin'] })
const PermissionList = Type.Array(Type.Object({ Name: Type.String({ pattern: '^[a-z][a-z_]{0,99}$' }), Level }), {
  maxItems: 100,
})
const RepositoryIDList = orNull<number[]>({
  type: 'array',
  maxItems: 1_000,
  items: { type: 'integer', format: 'uint64', minimum: 1 },
})

const TokenSchema = Type.Object({
  ID: Uint64,
  Kind: Type.String(),
  Hint: Type.String(),
  Note: Type.String(),
  ScopeList: Type.Array(Type.String()),
  PermissionList,
  RepositoryIDList,
  ResourceOwner: orNull<string>({ type: 'string' }),
  CreatedTime: Uint64,
  LastUsedTime: NullableUint64,
  ExpiryTime: NullableUint64,
  IsBanned: Type.Boolean(),
})

/**
 * `RepositoryIDList` is null for all repositories of the resource owner. A classic token has no resource owner: its
 * scopes decide.
 */
const presentToken = (token: Token) => ({
  ID: token.id,
  Kind: token.kind,
  Hint: token.hint,
  Note: token.note,
  ScopeList: [...token.scopes],
  PermissionList: Object.entries(token.permissions).map(([Name, level]) => ({ Name, Level: level })),
  RepositoryIDList: token.repositories === 'all' ? null : token.repositories === 'none' ? [] : [...token.repositories],
  ResourceOwner: token.resourceOwner?.name ?? null,
  CreatedTime: token.createdAt.getTime(),
  LastUsedTime: token.lastUsedAt?.getTime() ?? null,
  ExpiryTime: token.expiresAt?.getTime() ?? null,
  IsBanned: token.isBanned,
})

/** The last moment of the year 9999, the latest date with a four-digit year. */
const latestTime = 253_402_300_799_999

export const credentialMethods = (own: OwnCredentials): Method[] => [
  defineMethod({
    name: 'get_session_list',
    summary: 'Lists your open sessions, most recently used first.',
    params: Type.Object(PageParams),
    result: Type.Object({ TotalSessionCount: Uint64, SessionList: Type.Array(SessionSchema) }),
    async run({ actor }, params) {
      const { total, items } = await own.listSessions(actor, toPage(params))
      return { TotalSessionCount: total, SessionList: items.map((item) => presentSession(item, actor)) }
    },
  }),

  defineMethod({
    name: 'end_session',
    summary: 'Ends one of your own sessions, by its id.',
    params: Type.Object({ ID: Type.String({ pattern: '^[0-9a-f]{16}$' }) }),
    result: Empty,
    async run({ actor }, { ID }) {
      await own.endSession(actor, ID)
      return {}
    },
  }),

  defineMethod({
    name: 'create_token',
    summary: 'Creates a personal token for yourself. Its Text is shown only once.',
    nullIsAbsent: true,
    params: Type.Object({
      Kind,
      Note: Type.Optional(Text(0, 255)),
      ScopeList: Type.Optional(Type.Array(Text(1, 100), { maxItems: 100 })),
      PermissionList: Type.Optional(PermissionList),
      RepositoryIDList: Type.Optional(RepositoryIDList),
      ResourceOwner: Type.Optional(Text(1, 39)),
      ExpiryTime: Type.Optional(Type.Integer({ format: 'uint64', minimum: 0, maximum: latestTime })),
    }),
    result: Type.Object({ Token: TokenSchema, Text: Type.String() }),
    async run(
      { actor },
      { Kind: kind, Note, ScopeList, PermissionList: permissions, RepositoryIDList: ids, ResourceOwner, ExpiryTime },
    ) {
      const isClassic = kind === 'classic'
      const { token, text } = await own.makeToken(actor, {
        kind,
        note: Note ?? '',
        scopes: isClassic ? [...new Set(ScopeList)] : [],
        permissions: isClassic
          ? {}
          : Object.fromEntries((permissions ?? []).map(({ Name, Level: level }) => [Name, level])),
        repositories: isClassic ? 'none' : (ids ?? 'all'),
        ...(!isClassic && ResourceOwner !== undefined && { resourceOwner: ResourceOwner }),
        ...(ExpiryTime !== undefined && { expiresAt: new Date(ExpiryTime) }),
      })
      return { Token: presentToken(token), Text: text }
    },
  }),

  defineMethod({
    name: 'get_token_list',
    summary: 'Lists your personal tokens, newest first.',
    params: Type.Object(PageParams),
    result: Type.Object({ TotalTokenCount: Uint64, TokenList: Type.Array(TokenSchema) }),
    async run({ actor }, params) {
      const { total, items } = await own.listTokens(actor, toPage(params))
      return { TotalTokenCount: total, TokenList: items.map(presentToken) }
    },
  }),

  defineMethod({
    name: 'delete_token',
    summary: 'Revokes one of your own personal tokens immediately.',
    params: Type.Object({ ID: Uint64 }),
    result: Empty,
    async run({ actor }, { ID }) {
      await own.revokeToken(actor, ID)
      return {}
    },
  }),
]
