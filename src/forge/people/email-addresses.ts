/** Mail addresses of an account: the primary one of its profile, and others that its commits may have. */
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditUser } from '../access/audit-place.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { invalidField } from '../failures.ts'
import { asPerson } from '../person.ts'
import { demandFreeEmail, withEmailsLock } from './people.ts'

export type EmailAddress = { readonly email: string; readonly isPrimary: boolean; readonly isPublic: boolean }

const maxAddresses = 20

export type EmailAddresses = ReturnType<typeof makeEmailAddresses>

export function makeEmailAddresses({ store, clock }: { store: Store; clock: Clock }) {
  async function readAll(on: Db, id: number): Promise<EmailAddress[]> {
    const profile = await on
      .selectFrom('profile')
      .select(['email', 'is_email_public'])
      .where('account_id', '=', id)
      .executeTakeFirst()
    const others = await on
      .selectFrom('account_email')
      .select('email')
      .where('account_id', '=', id)
      .orderBy('created_at')
      .orderBy('email')
      .execute()
    const primary = profile?.email
    return [
      ...(primary ? [{ email: primary, isPrimary: true, isPublic: profile.is_email_public === 1 }] : []),
      ...others.map(({ email }) => ({ email, isPrimary: false, isPublic: false })),
    ]
  }

  const note = (trx: Db, { actor }: SelfAccess, action: string, email: string) =>
    recordAudit(trx, clock.now(), actor, { action, ...auditUser(asPerson(actor.account)), data: { email } })

  return {
    list: ({ actor }: SelfAccess): Promise<EmailAddress[]> => readAll(store.db, actor.account.id),

    /** Answers those that were added. An account without any has the first as its primary one. */
    add(self: SelfAccess, emails: readonly string[]): Promise<EmailAddress[]> {
      const { id } = self.actor.account
      const wanted = [...new Set(emails.map((email) => email.toLowerCase()))]
      return store.write(async (trx) => {
        const known = await readAll(trx, id)
        if (known.length + wanted.length > maxAddresses)
          throw new Failure('invalid', 'too-many-addresses', `An account has ${maxAddresses} mail addresses at most.`)
        for (const email of wanted) {
          if (known.some((one) => one.email === email))
            throw invalidField('email', 'already_exists', `${email} is yours already.`)
          await demandFreeEmail(trx, id, email)
          await trx.insertInto('account_email').values({ account_id: id, email, created_at: clock.now() }).execute()
          await note(trx, self, 'user.add_email', email)
        }
        return (await readAll(trx, id)).filter(({ email }) => wanted.includes(email))
      }, withEmailsLock)
    },

    /** The primary one is changed in the profile. */
    async remove(self: SelfAccess, emails: readonly string[]): Promise<void> {
      const { id } = self.actor.account
      await store.write(async (trx) => {
        const known = await readAll(trx, id)
        for (const email of new Set(emails.map((each) => each.toLowerCase()))) {
          const found = known.find((one) => one.email === email)
          if (!found) throw invalidField('email', 'missing', `${email} is not yours.`)
          if (found.isPrimary)
            throw invalidField('email', 'invalid', 'The primary address stays: give the profile another one first.')
          await trx.deleteFrom('account_email').where('account_id', '=', id).where('email', '=', email).execute()
          await note(trx, self, 'user.remove_email', email)
        }
      }, withEmailsLock)
    },

    /** Whether everyone sees the primary one. */
    setVisibility({ actor }: SelfAccess, isPublic: boolean): Promise<EmailAddress[]> {
      const { id } = actor.account
      return store.write(async (trx) => {
        const [primary] = await readAll(trx, id)
        if (!primary?.isPrimary) throw invalidField('visibility', 'invalid', 'Give your profile an address first.')
        const set = { is_email_public: isPublic ? 1 : 0 }
        await trx.updateTable('profile').set(set).where('account_id', '=', id).execute()
        return [{ ...primary, isPublic }]
      }, withEmailsLock)
    },
  }
}
