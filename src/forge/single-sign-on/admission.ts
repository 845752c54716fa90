/** Authorizes new tokens for an organisation at once if their user has signed on there. */
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { AdmitToken } from '../access/token-owners.ts'
import { recordSignOnAct } from './sign-on-audit.ts'

export const makeTokenAdmission =
  ({ clock }: { clock: Clock }): AdmitToken =>
  async (trx, by, { id, accountId }, organisation) => {
    const signOn = await trx
      .selectFrom('single_sign_on')
      .leftJoin('sign_on_identity', (join) =>
        join
          .onRef('sign_on_identity.organisation_id', '=', 'single_sign_on.organisation_id')
          .on('sign_on_identity.user_id', '=', accountId),
      )
      .select(['is_required', 'sign_on_identity.subject'])
      .where('single_sign_on.organisation_id', '=', organisation.id)
      .executeTakeFirst()
    if (!signOn) return
    demand(
      signOn.subject !== null || signOn.is_required === 0,
      'forbidden',
      'sign-on-needed',
      `${organisation.name} requires single sign-on: sign on first, at the address that a classic token is refused with there, then make this token.`,
    )
    if (signOn.subject === null) return
    const who = { organisationId: organisation.id, userId: accountId }
    await trx
      .insertInto('credential_authorization')
      .values({ organisation_id: organisation.id, user_id: accountId, token_id: id, created_at: clock.now() })
      .execute()
    await recordSignOnAct(trx, clock.now(), by, 'org_credential_authorization.grant', who, { token_id: id })
  }
