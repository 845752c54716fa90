/** Quotas that grow: the primary limit of callers whose hour depends on an account's plan, its repositories and its people. */
import { prepareQuery } from '../../store/prepared.ts'
import { memoizeRead } from '../../store/read-memo.ts'
import type { Store } from '../../store/store.ts'
import type { RateCaller } from './callers.ts'
import type { Figures } from './figures.ts'

/** An installation has the least for so many repositories and people, and more for each beyond. */
const included = 20
const moreForEach = 50

export type PlanQuotas = ReturnType<typeof makePlanQuotas>

export function makePlanQuotas({ store, figures }: { store: Store; figures: Figures }) {
  const { db } = store

  const ofOwner = prepareQuery(db, ({ id }: { id: number }) =>
    db
      .selectFrom('repository')
      .leftJoin('profile', 'profile.account_id', 'repository.owner_id')
      .select('plan')
      .where('repository.id', '=', id),
  )
  const ofAccount = prepareQuery(db, ({ id }: { id: number }) =>
    db
      .selectFrom('account')
      .leftJoin('profile', 'profile.account_id', 'account.id')
      .select((eb) => [
        'plan',
        eb
          .selectFrom('repository')
          .select((inner) => inner.fn.countAll<number>().as('count'))
          .where('owner_id', '=', id)
          .as('repositories'),
        eb
          .selectFrom('organisation_member')
          .select((inner) => inner.fn.countAll<number>().as('count'))
          .where('organisation_id', '=', id)
          .where('state', '=', 'active')
          .as('people'),
      ])
      .where('account.id', '=', id),
  )
  const readOwner = memoizeRead(store, async (id: number) => (await ofOwner({ id }))[0])
  const readAccount = memoizeRead(store, async (id: number) => (await ofAccount({ id }))[0])

  async function quotaOfInstallation(accountId: number, selected: number | undefined): Promise<number> {
    const found = await readAccount(accountId)
    if (found?.plan === 'enterprise') return figures['installation-enterprise']
    const beyond = (count: number) => Math.max(0, count - included)
    const more = beyond(selected ?? Number(found?.repositories ?? 0)) + beyond(Number(found?.people ?? 0))
    const most = Math.max(figures.installation, figures['installation-most'])
    return Math.min(figures.installation + moreForEach * more, most)
  }

  async function quotaOfWorkflows(repositoryId: number): Promise<number> {
    const isEnterprise = (await readOwner(repositoryId))?.plan === 'enterprise'
    return isEnterprise ? figures['workflow-enterprise'] : figures.workflow
  }

  return {
    async measure(caller: RateCaller): Promise<RateCaller> {
      const { grows } = caller
      if (!grows) return caller
      const core =
        'repositoryId' in grows
          ? await quotaOfWorkflows(grows.repositoryId)
          : await quotaOfInstallation(grows.accountId, grows.selected)
      return { ...caller, core }
    },
  }
}
