/** Manifests: an app's settings, stored by its future owner and turned into an app by the holder of the code. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import { generateSecret, hashSecret } from '../../../lib/ids.ts'
import type { Store } from '../../../store/store.ts'
import { notFound } from '../../failures.ts'
import type { People } from '../../people/people.ts'
import { asPerson } from '../../person.ts'
import { countRows } from '../../row-pages.ts'
import { type AppDraft, demandDraft } from './app-draft.ts'
import type { AppHolder, AppRegistration, NewApp } from './app-registration.ts'

const lifetimeMs = 60 * 60 * 1000
const maxWaiting = 100

type Needs = { store: Store; clock: Clock; people: People; registration: AppRegistration }

export type Manifests = ReturnType<typeof makeManifests>

export function makeManifests({ store, clock, people, registration }: Needs) {
  return {
    /** Answers the code, which is valid for an hour and for one app. */
    async put(holder: AppHolder, draft: AppDraft): Promise<string> {
      demandDraft(draft)
      const owner = 'organisation' in holder ? holder.organisation : asPerson(holder.actor.account)
      const code = generateSecret()
      const now = clock.now()
      await store.write(async (trx) => {
        await trx.deleteFrom('app_manifest').where('owner_id', '=', owner.id).where('expires_at', '<=', now).execute()
        const count = await countRows(trx.selectFrom('app_manifest').where('owner_id', '=', owner.id))
        demand(count < maxWaiting, 'limited', 'quota', `${maxWaiting} manifests wait already: convert one first.`)
        await trx
          .insertInto('app_manifest')
          .values({
            code_hash: hashSecret(code),
            owner_id: owner.id,
            manifest: JSON.stringify(draft),
            expires_at: now + lifetimeMs,
          })
          .execute()
      })
      return code
    },

    async convert(by: Actor, code: string): Promise<NewApp> {
      const row = await store.write((trx) =>
        trx
          .deleteFrom('app_manifest')
          .where('code_hash', '=', hashSecret(code))
          .where('expires_at', '>', clock.now())
          .returningAll()
          .executeTakeFirst(),
      )
      if (!row) throw notFound()
      return registration.registerFor(by, await people.getById(row.owner_id), JSON.parse(row.manifest))
    },
  }
}
