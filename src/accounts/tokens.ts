/** Tokens: create, find, list, revoke. A token's text is shown once and stored as a hash. */

import type { Selectable } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { demand } from '../lib/failure.ts'
import { hashSecret } from '../lib/ids.ts'
import { ignoreOutage } from '../lib/outages/outage.ts'
import type { Page, PageRequest } from '../lib/page.ts'
import { runAs } from '../lib/scheduling/work-kind.ts'
import { makeMemo } from '../store/memo.ts'
import { prepareQuery } from '../store/prepared.ts'
import type { TokenTable } from '../store/schema/account-tables.ts'
import type { Db } from '../store/schema/schema.ts'
import type { Store } from '../store/store.ts'
import { accountColumns, toAccount } from './account-row.ts'
import { type Account, type Actor, actingFor, type SignedIn, theServer } from './actor.ts'
import { recordAudit } from './audit/audit-log.ts'
import type { KeptCredential } from './kept-credential.ts'
import { defaultQuotas, demandWithin, type Quotas } from './quotas.ts'
import { credentialBlock, credentialRule } from './sign-in/lockout.ts'
import { type FoundToken, selectBareTokens, selectTokens, toFound, tokenTables, toToken } from './token-rows.ts'
import { explainWrongPermission } from './tokens/permissions.ts'
import { explainUnknownScope, isScope } from './tokens/scopes.ts'
import type { AccessLevel, ResourceOwner, Token } from './tokens/token.ts'
import { generateToken, keyKinds, type TokenKind } from './tokens/token-text.ts'

export type TokenDraft = {
  readonly kind: TokenKind
  readonly note?: string
  readonly scopes?: readonly string[]
  readonly permissions?: Readonly<Record<string, AccessLevel>>
  readonly repositories?: 'all' | 'none' | readonly number[]
  /** The login of the resource owner; by default the account itself. */
  readonly resourceOwner?: string
  readonly expiresAt?: Date
  /** The token's text; random by default. Only the first admin's is given. */
  readonly text?: string
  /** The account that acts with it, if not the account whose rights it has. */
  readonly actorId?: number
  readonly app?: {
    readonly id: number
    readonly installationId?: number
    readonly grantId?: number
    readonly family?: string
  }
  readonly runId?: number
  /** The SSH key that it stands for, or was exchanged for. */
  readonly keyId?: number
}

/** Narrows a token to what its app may do now; undefined if that is nothing. */
export type NarrowToApp = (token: Token) => Promise<Token | undefined>

/**
 * Decides who may own a token's resources, in the transaction that makes the token. Implemented by the module that
 * knows organisations.
 */
export type TokenOwners = {
  /** Throws if the account can't have tokens for the owner, or if a repository is not the owner's. */
  find(trx: Db, account: Account, draft: Pick<TokenDraft, 'resourceOwner' | 'repositories'>): Promise<ResourceOwner>
  /** Throws if the organisation requires single sign-on and the user has not signed on. */
  admit(trx: Db, by: Actor, token: Pick<Token, 'id' | 'accountId'>, owner: ResourceOwner): Promise<void>
}

type Needs = {
  readonly store: Store
  readonly clock: Clock
  readonly quotas?: Quotas
  readonly narrowToApp: NarrowToApp
  readonly owners: TokenOwners
}

const mostRemembered = 10_000

/** The last use is recorded to the minute, which is enough to read: a write per request would slow every read. */
const useGrainMs = 60_000

export type Tokens = ReturnType<typeof makeTokens>

export function makeTokens({ store, clock, quotas = defaultQuotas, narrowToApp, owners }: Needs) {
  const tokenByHash = prepareQuery(store.db, ({ hash, sender }: { hash: string; sender: string }) =>
    selectTokens(store.db).select(credentialBlock(sender)).where('token_hash', '=', hash),
  )
  /** Cached by the hash of their text and the sender. The rights of their apps are read each time. */
  const remember = makeMemo<FoundToken>(store, tokenTables, mostRemembered)

  async function readToken(hash: string, sender: string): Promise<FoundToken | undefined> {
    const [row] = await tokenByHash({ hash, sender })
    return row && { ...toFound(row), blockedUntil: row.blocked_until ?? 0 }
  }

  async function noted(found: FoundToken | undefined): Promise<FoundToken | undefined> {
    if (!found) return undefined
    const now = clock.now()
    const { lastUsedAt } = found.token
    const isNoted = lastUsedAt && lastUsedAt.getTime() >= now - useGrainMs
    if (!isNoted) await noteUse(found.token, now)
    return found
  }

  /** Narrows the token to its present rights; undefined if it has expired, or if its app lost it. */
  async function narrowToNow<T extends { readonly token: Token }>(found: T): Promise<T | undefined> {
    const { token } = found
    if (token.expiresAt && token.expiresAt.getTime() <= clock.now()) return undefined
    const narrowed = token.app ? await narrowToApp(token) : token
    return narrowed && { ...found, token: narrowed }
  }

  /** For work that follows an act: the same token as it is now. Undefined for a banned or suspended one. */
  async function recallToken(id: number, on: Db): Promise<SignedIn | undefined> {
    const row = await selectTokens(on).where('token.id', '=', id).executeTakeFirst()
    const found = row && (await narrowToNow(toFound(row)))
    if (!found || found.account.isSuspended || found.token.isBanned || found.token.app?.isSuspended) return undefined
    return { account: found.account, credential: { kind: 'token', token: found.token }, address: 'house' }
  }

  /** A full disk must not prevent reading. */
  async function noteUse({ id }: Token, now: number): Promise<void> {
    const note = (trx: Db) => trx.updateTable('token').set({ last_used_at: now }).where('id', '=', id).execute()
    await store.write(note).catch(ignoreOutage)
  }

  async function demandSpace(trx: Db, { id }: Account): Promise<void> {
    if (!Number.isFinite(quotas.tokens)) return
    const counted = trx.selectFrom('token').select((eb) => eb.fn.countAll<number>().as('count'))
    // Tokens of apps and runs end by themselves, and are bounded per app and run.
    const { count } = await counted
      .where('account_id', '=', id)
      .where('app_id', 'is', null)
      .where('run_id', 'is', null)
      // Tokens of keys have their own bound.
      .where('key_id', 'is', null)
      .executeTakeFirstOrThrow()
    demandWithin(Number(count), quotas.tokens, 'tokens')
  }

  /** With `ownerId`, only that account's personal tokens are found. */
  async function revoke(id: number, by: Actor, ownerId?: number): Promise<void> {
    const row = await store.write(async (trx) => {
      // A key's token ends with the key.
      let found = trx.deleteFrom('token').where('id', '=', id).where('key_id', 'is', null)
      if (ownerId !== undefined) found = found.where('account_id', '=', ownerId).where('kind', 'in', [...personal])
      const deleted = await found.returningAll().executeTakeFirst()
      if (!deleted) return undefined
      const owner = trx.selectFrom('account').select(['id', 'name']).where('id', '=', deleted.account_id)
      const action = `${wordOf(deleted.kind)}.destroy`
      const user = await owner.executeTakeFirst()
      await recordAudit(trx, clock.now(), by, { action, user, data: tokenData(deleted) })
      return deleted
    })
    demand(row, 'not-found', 'token-unknown', `There is no token ${id}; list them first.`)
  }

  return {
    /** Runs in the caller's transaction if given. */
    async make(
      account: Account,
      draft: TokenDraft,
      within?: Db,
      by: Actor = theServer,
    ): Promise<{ token: Token; text: string }> {
      for (const scope of draft.scopes ?? []) {
        demand(isScope(scope), 'invalid', 'unknown-scope', explainUnknownScope(scope))
      }
      // Tokens of apps and runs are checked against the rights of the app or run instead.
      if (!draft.app && draft.runId === undefined && draft.keyId === undefined) demandPermissions(draft.permissions)
      const text = draft.text ?? generateToken(draft.kind)
      const insert = async (trx: Db) => {
        await demandSpace(trx, account)
        const owner = hasResourceOwner(draft) ? await owners.find(trx, account, draft) : undefined
        const row = await trx
          .insertInto('token')
          .values({
            account_id: account.id,
            kind: draft.kind,
            token_hash: hashSecret(text),
            hint: text.slice(-8),
            note: draft.note ?? '',
            scopes: JSON.stringify(draft.scopes ?? []),
            permissions: JSON.stringify(draft.permissions ?? {}),
            repositories: JSON.stringify(draft.repositories ?? 'none'),
            resource_owner_id: owner?.id ?? null,
            expires_at: draft.expiresAt?.getTime() ?? null,
            last_used_at: null,
            banned_at: null,
            created_at: clock.now(),
            actor_id: draft.actorId ?? null,
            app_id: draft.app?.id ?? null,
            installation_id: draft.app?.installationId ?? null,
            grant_id: draft.app?.grantId ?? null,
            run_id: draft.runId ?? null,
            family: draft.app?.family ?? null,
            key_id: draft.keyId ?? null,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        const token = toToken({ ...row, resource_owner_name: owner?.name ?? null, lacking_sign_on: null })
        // Tokens of apps are exempt from single sign-on.
        if (owner && row.kind === 'fine-grained') await owners.admit(trx, by, token, owner)
        // Programs make the other kinds every hour: the audit log has what entitled them instead.
        if (!isUnaudited(row.kind))
          await recordAudit(trx, row.created_at, by, {
            action: `${wordOf(row.kind)}.create`,
            user: account,
            data: { ...tokenData(row), ...(owner && { resource_owner: owner.name }) },
          })
        return token
      }
      return { token: await (within ? insert(within) : store.write(insert)), text }
    },

    /**
     * The token and its account; undefined if unknown, revoked or expired. `sender` as in the lock-out of credentials.
     */
    find: (text: string, sender = ''): Promise<FoundToken | undefined> =>
      runAs('sign-in', async () => {
        const hash = hashSecret(text)
        const remembered = await remember(`${hash} ${sender}`, () =>
          readToken(hash, `${credentialRule.name}:${sender}`),
        )
        return noted(remembered && (await narrowToNow(remembered)))
      }),

    /** The token of an SSH key. `isProved`: the client has proved that it holds the key, so the use is noted. */
    async findByKey(keyId: number, sender: string, isProved: boolean): Promise<FoundToken | undefined> {
      const found = await remember(`key ${keyId} ${sender}`, async () => {
        const row = await selectTokens(store.db)
          .select(credentialBlock(`${credentialRule.name}:${sender}`))
          .where('key_id', '=', keyId)
          .where('token.kind', 'in', ['ssh-key', 'deploy-key'])
          .executeTakeFirst()
        return row && { ...toFound(row), blockedUntil: row.blocked_until ?? 0 }
      })
      const now = found && (await narrowToNow(found))
      return isProved ? noted(now) : now
    },

    /**
     * The account that acted with a kept credential, with its present rights; undefined if the credential has ended or
     * the account is suspended.
     */
    async recall(accountId: number, kept: KeptCredential | undefined, on: Db): Promise<SignedIn | undefined> {
      if (kept?.kind === 'token') return recallToken(kept.id, on)
      if (kept?.kind !== 'account') return undefined
      const row = await on.selectFrom('account').select(accountColumns).where('id', '=', accountId).executeTakeFirst()
      const account = row && toAccount(row)
      return account && !account.isSuspended ? actingFor(account) : undefined
    },

    /** Ends the tokens of one authorization or one run, or those with the given ids, in the caller's transaction. */
    async end(trx: Db, which: EndedTokens): Promise<void> {
      let query = trx.deleteFrom('token')
      if ('family' in which) query = query.where('family', '=', which.family)
      else if ('runId' in which) query = query.where('run_id', '=', which.runId)
      else query = query.where('id', 'in', [...which.ids])
      await query.execute()
    },

    /** Keeps the newest tokens that a key was exchanged for. */
    async endOldestOfKey(trx: Db, keyId: number, kept: number): Promise<void> {
      const old = trx
        .selectFrom('token')
        .select('id')
        .where('key_id', '=', keyId)
        .where('kind', '=', 'lfs')
        .orderBy('id', 'desc')
      const ids = (await old.offset(kept).limit(1_000).execute()).map(({ id }) => id)
      if (ids.length > 0) await trx.deleteFrom('token').where('id', 'in', ids).execute()
    },

    async countOfRun(trx: Db, runId: number): Promise<number> {
      const counted = trx.selectFrom('token').select((eb) => eb.fn.countAll<number>().as('count'))
      return Number((await counted.where('run_id', '=', runId).executeTakeFirstOrThrow()).count)
    },

    /** By its text, regardless of its app's present rights; undefined if it has expired. */
    async read(text: string, on: Db = store.db): Promise<(Token & { family: string | null }) | undefined> {
      const row = await selectBareTokens(on).where('token_hash', '=', hashSecret(text)).executeTakeFirst()
      const isOver = !row || (row.expires_at !== null && row.expires_at <= clock.now())
      return isOver ? undefined : { ...toToken(row), family: row.family }
    },

    /** Deletes tokens that ended a while ago and are in nobody's list. */
    async prune(): Promise<void> {
      const before = clock.now() - keptAfterEndMs
      await store.write((trx) =>
        trx
          .deleteFrom('token')
          .where('expires_at', '<', before)
          .where('kind', 'in', [...passing])
          .execute(),
      )
    },

    async list(account: Account): Promise<Token[]> {
      const rows = await selectBareTokens(store.db)
        .where('account_id', '=', account.id)
        .where('key_id', 'is', null)
        .orderBy('id')
        .execute()
      return rows.map(toToken)
    },

    /** Personal tokens, newest first. */
    async listPersonal({ id }: Account, { offset, limit }: PageRequest): Promise<Page<Token>> {
      const { count } = await store.db
        .selectFrom('token')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('account_id', '=', id)
        .where('kind', 'in', [...personal])
        .executeTakeFirstOrThrow()
      const rows = await selectBareTokens(store.db)
        .where('account_id', '=', id)
        .where('kind', 'in', [...personal])
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute()
      return { total: Number(count), items: rows.map(toToken) }
    },

    revoke: (id: number, by: Actor = theServer): Promise<void> => revoke(id, by),

    /** Revokes a personal token of the actor; another account's token is reported as not found. */
    revokeOwn: (actor: SignedIn, id: number): Promise<void> => revoke(id, actor, actor.account.id),
  }
}

function demandPermissions(permissions: TokenDraft['permissions'] = {}): void {
  for (const [name, level] of Object.entries(permissions)) {
    const wrong = explainWrongPermission(name, level)
    demand(wrong === undefined, 'invalid', 'unknown-permission', wrong ?? '')
  }
}

export type EndedTokens = { readonly family: string } | { readonly runId: number } | { readonly ids: readonly number[] }

/** Each fine-grained token has an owner; an app's user token has owners through the app's installations. */
const hasResourceOwner = ({ kind, app }: TokenDraft): boolean =>
  kind === 'fine-grained' || (kind === 'app-user' && app === undefined)

/** The kinds that people make for themselves. */
const personal = ['classic', 'fine-grained'] as const

/** Programs request new tokens of these kinds; the others stay in their owners' lists after they expire. */
const passing = ['installation', 'workflow', 'app-user', 'refresh', 'lfs'] as const
/** Kinds without audit entries of their own. Those of keys are covered by the entries of adding and removing keys. */
const isUnaudited = (kind: TokenKind): boolean =>
  kind === 'installation' || kind === 'workflow' || kind === 'refresh' || keyKinds.some((one) => one === kind)
const keptAfterEndMs = 60 * 60 * 1000

/** The public platform's names. */
const wordOf = (kind: TokenTable['kind']): string =>
  kind === 'classic' || kind === 'fine-grained' ? 'personal_access_token' : 'oauth_access'

const tokenData = (row: Selectable<TokenTable>) => ({
  token_id: row.id,
  kind: row.kind,
  scopes: JSON.parse(row.scopes) as string[],
  permissions: Object.entries(JSON.parse(row.permissions)).map(([name, level]) => `${name}=${level}`),
  expires_at: row.expires_at,
})
