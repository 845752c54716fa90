/** The OAuth apps of others that an organisation has approved. */
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Store } from '../../../store/store.ts'
import type { OrganisationAccess } from '../../access/organisation-access.ts'
import { notFound } from '../../failures.ts'
import { countRows, readPage } from '../../row-pages.ts'
import { type App, selectApps, toApp } from '../app.ts'
import { recordApproval } from '../app-audit.ts'
import type { AppRegistration } from './app-registration.ts'

const maxApprovals = 1_000

type Needs = { store: Store; clock: Clock; registration: AppRegistration }

export type AppApprovals = ReturnType<typeof makeAppApprovals>

export function makeAppApprovals({ store, clock, registration }: Needs) {
  const { db } = store

  async function find(clientId: string): Promise<App> {
    const app = await registration.findByClientId(clientId)
    if (app?.kind !== 'oauth') throw notFound()
    return app
  }

  return {
    list: ({ organisation }: OrganisationAccess<'owner'>, request: PageRequest): Promise<Page<App>> =>
      readPage(
        selectApps(db)
          .where('app.id', 'in', (eb) =>
            eb.selectFrom('app_approval').select('app_id').where('organisation_id', '=', organisation.id),
          )
          .orderBy('app.id'),
        request,
        toApp,
      ),

    async approve({ actor, organisation }: OrganisationAccess<'owner'>, clientId: string): Promise<void> {
      const app = await find(clientId)
      const now = clock.now()
      await store.write(
        async (trx) => {
          const count = await countRows(trx.selectFrom('app_approval').where('organisation_id', '=', organisation.id))
          demand(count < maxApprovals, 'limited', 'quota', `An organization approves of ${maxApprovals} apps at most.`)
          const { numInsertedOrUpdatedRows } = await trx
            .insertInto('app_approval')
            .values({ app_id: app.id, organisation_id: organisation.id, created_at: now })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirst()
          if (numInsertedOrUpdatedRows) await recordApproval(trx, now, actor, true, app, organisation)
        },
        { locks: [`approvals:${organisation.id}`] },
      )
    },

    async withdraw({ actor, organisation }: OrganisationAccess<'owner'>, clientId: string): Promise<void> {
      const app = await find(clientId)
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('app_approval')
          .where('organisation_id', '=', organisation.id)
          .where('app_id', '=', app.id)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) throw notFound()
        await recordApproval(trx, clock.now(), actor, false, app, organisation)
      })
    },
  }
}
