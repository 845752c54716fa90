/** Authorizations of tokens and SSH keys for organisations with single sign-on: listed and revoked by the owners. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { notFound } from '../failures.ts'
import { readPage } from '../row-pages.ts'
import { recordSignOnAct } from './sign-on-audit.ts'

export type CredentialAuthorization = {
  readonly id: number
  readonly login: string
  readonly hint: string
  readonly note: string
  readonly scopes: readonly string[]
  /** Of an SSH key. */
  readonly fingerprint: string | undefined
  readonly authorizedAt: Date
  readonly usedAt: Date | undefined
  readonly expiresAt: Date | undefined
}

type Needs = { store: Store; clock: Clock; activity: ActivityRecord }
type Credential = { readonly organisationId: number; readonly userId: number; readonly tokenId: number }

export type Authorizations = ReturnType<typeof makeAuthorizations>

export function makeAuthorizations({ store, clock, activity }: Needs) {
  return {
    /** Authorizes the token of a member whom the provider has identified; repeating it changes nothing. */
    async addWithin(trx: Db, actor: Actor, { organisationId, userId, tokenId }: Credential): Promise<void> {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('credential_authorization')
        .values({ organisation_id: organisationId, user_id: userId, token_id: tokenId, created_at: clock.now() })
        .onConflict((conflict) => conflict.columns(['token_id', 'organisation_id']).doNothing())
        .executeTakeFirstOrThrow()
      const who = { organisationId, userId }
      if (numInsertedOrUpdatedRows)
        await recordSignOnAct(trx, clock.now(), actor, 'org_credential_authorization.grant', who, { token_id: tokenId })
      await activity.record(trx, {
        kind: 'credential-authorized',
        actorId: userId,
        organisationId,
        subjectId: userId,
      })
    },

    async list(
      { organisation }: OrganisationAccess<'owner'>,
      login: string | undefined,
      page: PageRequest,
    ): Promise<Page<CredentialAuthorization>> {
      const found = store.db
        .selectFrom('credential_authorization')
        .innerJoin('token', 'token.id', 'credential_authorization.token_id')
        .innerJoin('account', 'account.id', 'credential_authorization.user_id')
        .leftJoin('ssh_key', 'ssh_key.id', 'token.key_id')
        .where('organisation_id', '=', organisation.id)
        .$if(login !== undefined, (query) => query.where('account.name_key', '=', login!.toLowerCase()))
        .select(['credential_authorization.id', 'account.name', 'token.hint', 'token.note', 'token.scopes'])
        .select([
          'credential_authorization.created_at',
          'token.last_used_at',
          'token.expires_at',
          'ssh_key.fingerprint',
        ])
        .orderBy('credential_authorization.id')
      return readPage(found, page, (row) => ({
        id: row.id,
        login: row.name,
        hint: row.hint,
        note: row.note,
        scopes: JSON.parse(row.scopes),
        fingerprint: row.fingerprint ?? undefined,
        authorizedAt: new Date(row.created_at),
        usedAt: row.last_used_at === null ? undefined : new Date(row.last_used_at),
        expiresAt: row.expires_at === null ? undefined : new Date(row.expires_at),
      }))
    },

    async revoke({ actor, organisation }: OrganisationAccess<'owner'>, id: number): Promise<void> {
      await store.write(async (trx) => {
        const row = await trx
          .deleteFrom('credential_authorization')
          .where('id', '=', id)
          .where('organisation_id', '=', organisation.id)
          .returning(['user_id', 'token_id'])
          .executeTakeFirst()
        if (!row) throw notFound()
        const who = { organisationId: organisation.id, userId: row.user_id }
        const data = { token_id: row.token_id }
        await recordSignOnAct(trx, clock.now(), actor, 'org_credential_authorization.revoke', who, data)
        await activity.record(trx, {
          kind: 'credential-deauthorized',
          actorId: actor.account.id,
          organisationId: organisation.id,
          subjectId: row.user_id,
        })
      })
    },
  }
}
