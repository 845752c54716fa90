/** Identities: the name by which an organisation's provider knows a member. Each account has one of its own. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { notFound } from '../failures.ts'
import { readPage } from '../row-pages.ts'
import { recordSignOnAct } from './sign-on-audit.ts'

export type ProvenIdentity = { readonly issuer: string; readonly subject: string }
/** `formerSubjects`: forms in which earlier releases may have stored the same subject. */
type LinkedIdentity = ProvenIdentity & { readonly formerSubjects?: readonly string[] }
export type Identity = ProvenIdentity & { readonly login: string; readonly linkedAt: Date }

type Needs = { store: Store; clock: Clock; activity: ActivityRecord }
type Member = { readonly organisationId: number; readonly userId: number }

export type Identities = ReturnType<typeof makeIdentities>

export function makeIdentities({ store, clock, activity }: Needs) {
  return {
    /** The first sign-on links the account; later ones must bring the same identity. */
    async linkWithin(
      trx: Db,
      actor: Actor,
      { organisationId, userId }: Member,
      { issuer, subject, formerSubjects = [] }: LinkedIdentity,
    ): Promise<void> {
      const proven = { issuer, subject }
      const rows = await trx
        .selectFrom('sign_on_identity')
        .selectAll()
        .where('organisation_id', '=', organisationId)
        .where((eb) =>
          eb.or([
            eb('user_id', '=', userId),
            eb.and([eb('issuer', '=', issuer), eb('subject', 'in', [subject, ...formerSubjects])]),
          ]),
        )
        .execute()
      const own = rows.find(({ user_id }) => user_id === userId)
      demand(
        rows.every(({ user_id }) => user_id === userId),
        'forbidden',
        'identity-taken',
        'Another account of this server is linked to the identity that you signed in with.',
      )
      demand(
        !own || (own.issuer === issuer && [subject, ...formerSubjects].includes(own.subject)),
        'forbidden',
        'identity-differs',
        'Your account is linked to another identity of the organization. Sign in with that one, or ask an admin of this server to unlink it.',
      )
      if (own?.subject === subject) return
      if (own) return renameWithin(trx, { organisationId, userId }, subject)
      await trx
        .insertInto('sign_on_identity')
        .values({ organisation_id: organisationId, user_id: userId, ...proven, created_at: clock.now() })
        .execute()
      const who = { organisationId, userId }
      await recordSignOnAct(trx, clock.now(), actor, 'external_identity.provision', who, { ...proven })
    },

    async list(_admin: SiteAdmin, organisationId: number, page: PageRequest): Promise<Page<Identity>> {
      const found = store.db
        .selectFrom('sign_on_identity')
        .innerJoin('account', 'account.id', 'sign_on_identity.user_id')
        .where('organisation_id', '=', organisationId)
        .select(['account.name', 'issuer', 'subject', 'sign_on_identity.created_at'])
        .orderBy('sign_on_identity.user_id')
      return readPage(found, page, ({ name, issuer, subject, created_at }) => ({
        login: name,
        issuer,
        subject,
        linkedAt: new Date(created_at),
      }))
    },

    /** Also ends the authorizations of the member's tokens. */
    async unlink({ actor }: SiteAdmin, organisationId: number, userId: number): Promise<void> {
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('sign_on_identity')
          .where('organisation_id', '=', organisationId)
          .where('user_id', '=', userId)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) throw notFound()
        const who = { organisationId, userId }
        await recordSignOnAct(trx, clock.now(), actor, 'external_identity.deprovision', who)
        const what = { actorId: actor.account.id, organisationId, subjectId: userId }
        await activity.record(trx, { kind: 'credential-deauthorized', ...what })
      })
    },
  }
}

const renameWithin = async (trx: Db, { organisationId, userId }: Member, subject: string): Promise<void> => {
  const query = trx.updateTable('sign_on_identity').set({ subject })
  await query.where('organisation_id', '=', organisationId).where('user_id', '=', userId).execute()
}
