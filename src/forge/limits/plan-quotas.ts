/** Primary limits that grow with an account's plan, repositories and members. */
import { prepareQuery } from '../../store/prepared.ts'
import type { Store } from '../../store/store.ts'
import type { RateCaller } from './callers.ts'
import type { Figures } from './figures.ts'

/** An installation's minimum covers this many repositories and people; each one beyond adds to the limit. */
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
  const readOwner = async (id: number) => (await ofOwner({ id }))[0]
  const readAccount = async (id: number) => (await ofAccount({ id }))[0]

  const ofOwnerAccount = async (id: number) =>
    (await db.selectFrom('profile').select('plan').where('account_id', '=', id).executeTakeFirst())?.plan
  /** The number of selected repositories; undefined if the installation covers all of the account's. */
  async function readSelected(id: number) {
    const row = await db
      .selectFrom('app_installation')
      .select((eb) => [
        'selection',
        eb
          .selectFrom('app_installation_repository')
          .select((inner) => inner.fn.countAll<number>().as('count'))
          .where('installation_id', '=', id)
          .as('chosen'),
      ])
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.selection === 'selected' ? Number(row.chosen) : undefined
  }
  /** Whether an enterprise owns the app, or owns or approved this OAuth app and has the user as a member. */
  async function isOfEnterprise(appId: number, userId: number) {
    const row = await db
      .selectFrom('app')
      .innerJoin('profile', (join) => join.on('profile.plan', '=', 'enterprise'))
      .select('app.id')
      .where('app.id', '=', appId)
      .where((eb) => {
        const isOwned = eb('profile.account_id', '=', eb.ref('app.owner_id'))
        const isApproved = eb.exists(
          eb
            .selectFrom('app_approval')
            .select('app_id')
            .where('app_id', '=', appId)
            .whereRef('organisation_id', '=', 'profile.account_id'),
        )
        const isMember = eb.exists(
          eb
            .selectFrom('organisation_member')
            .select('user_id')
            .whereRef('organisation_id', '=', 'profile.account_id')
            .where('user_id', '=', userId)
            .where('state', '=', 'active'),
        )
        const asOAuth = eb.and([eb('app.kind', '=', 'oauth'), eb.or([isOwned, isApproved]), isMember])
        return eb.or([eb.and([eb('app.kind', '=', 'app'), isOwned]), asOAuth])
      })
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  async function quotaOfInstallation(
    accountId: number,
    tokenSelected: number | undefined,
    installationId: number | undefined,
  ): Promise<number> {
    const selected = installationId === undefined ? tokenSelected : await readSelected(installationId)
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

  /** Returns the same object while the quota stays the same: limits cache data by it. */
  const measured = new WeakMap<RateCaller, RateCaller>()

  return {
    async measure(caller: RateCaller): Promise<RateCaller> {
      const { grows } = caller
      if (!grows) return caller
      const core = await quotaOf(grows)
      const known = measured.get(caller)
      if (known?.core === core) return known
      const grown = { ...caller, core }
      measured.set(caller, grown)
      return grown
    },
  }

  async function quotaOf(grows: NonNullable<RateCaller['grows']>): Promise<number> {
    if ('repositoryId' in grows) return quotaOfWorkflows(grows.repositoryId)
    if ('ownerId' in grows) {
      const isEnterprise = (await ofOwnerAccount(grows.ownerId)) === 'enterprise'
      return isEnterprise ? figures['oauth-app-enterprise'] : figures['oauth-app']
    }
    if ('appId' in grows) {
      const isEnterprise = await isOfEnterprise(grows.appId, grows.userId)
      return isEnterprise ? figures['user-enterprise'] : figures.user
    }
    return quotaOfInstallation(grows.accountId, grows.selected, grows.installationId)
  }
}
