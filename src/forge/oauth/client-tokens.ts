/** Operations of an app on its tokens, with client id and secret: check, reset, narrow, revoke. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Account } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import { endFamily } from '../../accounts/granted-tokens.ts'
import { bannedMessage, type Token } from '../../accounts/tokens/token.ts'
import type { TokenDraft, Tokens } from '../../accounts/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { AppClient } from '../access/app-access.ts'
import type { App } from '../apps/app.ts'
import type { Installation } from '../apps/installations/installation.ts'
import type { InstallationTokens, TokenRequest } from '../apps/installations/installation-tokens.ts'
import type { Installations } from '../apps/installations/installations.ts'
import { intersect } from '../apps/permissions.ts'
import type { AppRegistration } from '../apps/registration/app-registration.ts'
import { invalidField, notFound } from '../failures.ts'
import { asPerson, type Person } from '../person.ts'
import type { Grants } from './grants.ts'

export type ClientToken = {
  readonly token: Token
  /** Shown if it is new, or if the app sent it. */
  readonly text: string
  readonly app: App
  readonly user: Person
  /** Present for a narrowed token. */
  readonly installation?: Installation
}

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  tokens: Tokens
  registration: AppRegistration
  installations: Installations
  installationTokens: InstallationTokens
  grants: Grants
}

type Found = { readonly token: Token; readonly family: string | null; readonly account: Account }

export type ClientTokens = ReturnType<typeof makeClientTokens>

export function makeClientTokens(needs: Needs) {
  const { store, clock, accounts, tokens, registration, installations, installationTokens, grants } = needs

  /** One of the app's own tokens, whose user may still use it. */
  async function find(client: AppClient, text: string, on?: Db): Promise<Found> {
    const token = await tokens.read(text, on)
    const isOwn = token?.app?.id === client.id && token.kind !== 'refresh' && token.kind !== 'installation'
    const account = isOwn ? await accounts.findById(token.accountId) : undefined
    if (!token || !account || account.isSuspended) throw notFound()
    return { token, family: token.family, account }
  }

  /** A banned token is refused: its replacement would not be banned. */
  function draftOf({ token, family }: Found): TokenDraft {
    demand(!token.isBanned, 'forbidden', 'banned', bannedMessage)
    return omitUndefined({
      kind: token.kind,
      note: token.note,
      scopes: token.scopes,
      permissions: token.permissions,
      repositories: token.repositories,
      expiresAt: token.expiresAt,
      app: omitUndefined({ ...token.app!, family: family ?? undefined }),
    }) as TokenDraft
  }

  const show = async (client: AppClient, { account }: Found, made: { token: Token; text: string }) => ({
    ...made,
    app: await registration.read(client.id),
    user: asPerson(account),
  })

  return {
    async check(client: AppClient, text: string): Promise<ClientToken> {
      const found = await find(client, text)
      return show(client, found, { token: found.token, text })
    },

    /** Replaces the token's text; the old text is invalid at once. */
    async reset(client: AppClient, text: string): Promise<ClientToken> {
      const found = await find(client, text)
      const made = await store.write(async (trx) => {
        // Read again inside the write: of two resets at once, one succeeds.
        const draft = draftOf(await find(client, text, trx))
        await tokens.end(trx, { ids: [found.token.id] })
        return tokens.make(found.account, draft, trx, client.actor)
      })
      return show(client, found, made)
    },

    /** Revokes the token and the refresh token that came with it. */
    async revoke(client: AppClient, text: string): Promise<void> {
      const { token, family, account } = await find(client, text)
      await store.write(async (trx) => {
        if (family === null) await tokens.end(trx, { ids: [token.id] })
        else await endFamily(trx, family)
        const data = { token_id: token.id, kind: token.kind, app_id: client.id }
        await recordAudit(trx, clock.now(), client.actor, { action: 'oauth_access.destroy', user: account, data })
      })
    },

    /** Revokes everything that the user has allowed the app. */
    async giveBack(client: AppClient, text: string): Promise<void> {
      const { token } = await find(client, text)
      if (token.app?.grantId === undefined) throw notFound()
      await grants.giveBack(client, token.app.grantId)
    },

    /** Makes a token with less access: one account's installation, some of its repositories and permissions. */
    async narrow(
      client: AppClient,
      text: string,
      target: { login?: string; id?: number },
      request: TokenRequest,
    ): Promise<ClientToken> {
      const found = await find(client, text)
      if (found.token.kind !== 'app-user')
        throw invalidField('access_token', 'invalid', 'Only a token of an app for a user can be narrowed.')
      const installation = await installations.findWith(client.id, target)
      const only = found.token.app?.installationId
      if (only !== undefined && only !== installation.id) throw notFound()
      const { repositories, permissions } = await installationTokens.narrow(installation, request)
      const draft = draftOf(found)
      const made = await tokens.make(
        found.account,
        {
          ...draft,
          permissions: intersect(found.token.permissions, permissions),
          repositories: common(
            found.token.repositories,
            repositories?.map(({ id }) => id),
          ),
          app: { ...draft.app!, installationId: installation.id },
        },
        undefined,
        client.actor,
      )
      return { ...(await show(client, found, made)), installation }
    },
  }
}

/** A token that is already narrow gets no wider. */
function common(had: Token['repositories'], asked: readonly number[] | undefined): Token['repositories'] {
  if (!asked || had === 'none') return had
  return had === 'all' ? asked : asked.filter((id) => had.includes(id))
}
