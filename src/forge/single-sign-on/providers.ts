/** The organisations' identity providers, and whether single sign-on is required. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { SingleSignOnTable } from '../../store/schema/single-sign-on-tables.ts'
import type { Store } from '../../store/store.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { invalidField } from '../failures.ts'
import { demandSensible, type MayBePlain, type SingleSignOn, type SingleSignOnChange } from './provider.ts'
import { recordSignOnAct } from './sign-on-audit.ts'

type Needs = { store: Store; clock: Clock; mayBePlain: MayBePlain }

export type Providers = ReturnType<typeof makeProviders>

export function makeProviders({ store, clock, mayBePlain }: Needs) {
  const find = async (organisationId: number, on: Db = store.db): Promise<SingleSignOn | undefined> => {
    const query = on.selectFrom('single_sign_on').selectAll().where('organisation_id', '=', organisationId)
    const row = await query.executeTakeFirst()
    return row && toSingleSignOn(row)
  }

  return {
    find,

    /**
     * Part of the write that administers the organisation, which holds its lock; null removes the provider. Every
     * change ends attempts in progress: a ticket of a removed provider must not authorize a token.
     */
    async setWithin(
      trx: Db,
      { actor }: SiteAdmin,
      organisationId: number,
      change: SingleSignOnChange | null,
    ): Promise<void> {
      const note = (verb: string, kind: string, data = {}) =>
        recordSignOnAct(trx, clock.now(), actor, `org.${verb.replace('*', kind)}`, { organisationId }, data)
      await trx.deleteFrom('sign_on_attempt').where('organisation_id', '=', organisationId).execute()
      if (change === null) {
        const known = await find(organisationId, trx)
        if (known) await note('disable_*', known.kind)
        await forgetIdentities(trx, organisationId)
        await trx.deleteFrom('single_sign_on').where('organisation_id', '=', organisationId).execute()
        return
      }
      const before = await find(organisationId, trx)
      const { isRequired = before?.isRequired ?? false, kind = before?.kind, ...settings } = change
      if (!kind) throw invalidField('sso.kind', 'missing_field', 'Set the kind of the provider: saml or oidc.')
      demandSensible(kind, settings, mayBePlain)
      const isSameKind = before?.kind === kind
      const all = isSameKind ? { ...before.settings, ...settings } : settings
      if (before && !isSameProvider(before, { kind, settings: all })) await forgetIdentities(trx, organisationId)
      const values = {
        is_required: isRequired ? 1 : 0,
        kind,
        settings: JSON.stringify(all),
        // Addresses given out earlier become invalid.
        signing_key: generateSecret(),
        updated_at: clock.now(),
      }
      await trx
        .insertInto('single_sign_on')
        .values({ organisation_id: organisationId, ...values })
        .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(values))
        .execute()
      await note(isSameKind ? 'update_*_provider_settings' : 'enable_*', kind, {
        issuer: all.issuer ?? '',
        required: isRequired,
      })
    },
  }
}

type Named = Pick<SingleSignOn, 'kind' | 'settings'>

/**
 * Whether the same subjects still mean the same people. New certificates or another secret do not change that; another
 * client may get other subjects (OpenID Connect Core, section 8.1: pairwise identifiers).
 */
const isSameProvider = (before: Named, after: Named): boolean =>
  before.kind === after.kind &&
  before.settings.issuer === after.settings.issuer &&
  before.settings.clientId === after.settings.clientId

/** Their authorizations are deleted with them. */
const forgetIdentities = (trx: Db, organisationId: number) =>
  trx.deleteFrom('sign_on_identity').where('organisation_id', '=', organisationId).execute()

const toSingleSignOn = (row: Selectable<SingleSignOnTable>): SingleSignOn => ({
  organisationId: row.organisation_id,
  isRequired: row.is_required === 1,
  kind: row.kind,
  settings: JSON.parse(row.settings),
  signingKey: row.signing_key,
  updatedAt: row.updated_at,
})
