/** The rights of a hook: its owner's own, checked again before each attempt. */
import type { Accounts } from '../../accounts/accounts.ts'
import { actingFor, type SignedIn } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { findOwnLevel } from '../access/repository.ts'
import { completeAppHook, findInstallationViewer } from './app-hooks.ts'
import type { DeliveryRow } from './queue/delivery.ts'
import { type HookHolder, type HookKeeper, isOfInstallation, type WebhookRow } from './webhook.ts'

type Needs = { store: Store; accounts: Accounts }

export type HookRights = ReturnType<typeof makeHookRights>

export function makeHookRights({ store: { db }, accounts }: Needs) {
  async function isRepositoryThere(id: number): Promise<boolean> {
    return (await db.selectFrom('repository').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  }

  async function ownsOrganisation(organisationId: number, userId: number): Promise<boolean> {
    const row = await db
      .selectFrom('organisation_member')
      .select('role')
      .where('organisation_id', '=', organisationId)
      .where('user_id', '=', userId)
      .where('state', '=', 'active')
      .executeTakeFirst()
    return row?.role === 'admin'
  }

  /** Whether its owner could still create it. */
  async function mayKeep(hook: WebhookRow): Promise<boolean> {
    // The owner is the organisation itself if an app installed there, or a site admin, made the hook.
    return (
      hook.organisation_id === null ||
      hook.organisation_id === hook.owner_id ||
      (await ownsOrganisation(hook.organisation_id, hook.owner_id))
    )
  }

  /**
   * The viewer for whom payloads are made and sent; undefined if they may no longer see the subject. A hook of an
   * organisation or of the site needs one of its owners or admins, a hook of a repository anyone who may read it. The
   * admin role counts only for hooks of the site.
   */
  async function findViewer(
    hook: WebhookRow,
    row: Pick<DeliveryRow, 'repository_id' | 'installation_id' | 'event'>,
  ): Promise<SignedIn | undefined> {
    if (hook.holder === 'app' && !isOfInstallation(row.event)) return findInstallationViewer(db, accounts, row)
    const { repository_id } = row
    const owner = await accounts.findById(hook.owner_id)
    if (!owner || owner.isSuspended) return undefined
    if (hook.holder === 'site') return owner.role === 'admin' && owner.kind === 'user' ? actingFor(owner) : undefined
    if (!(await mayKeep(hook))) return undefined
    const viewer = actingFor({ ...owner, role: 'contestant' })
    if (repository_id === null) return viewer
    if ((await findOwnLevel(db, repository_id, owner.id)) !== 'none') return viewer
    // An organisation's hook is told of a deleted repository, since the owner could see all of them.
    return hook.repository_id === null && !(await isRepositoryThere(repository_id)) ? viewer : undefined
  }

  return {
    async findHook(id: number, on: Db = db): Promise<WebhookRow | undefined> {
      const row = await on.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst()
      return row && completeAppHook(on, row)
    },

    findViewer,

    /**
     * The owner of a hook that this caller makes or changes. A site admin without rights of their own there acts for
     * the repository's owner or the organisation.
     */
    async findOwner(keeper: HookKeeper): Promise<number> {
      const { id } = keeper.actor.account
      if ('repository' in keeper) {
        const { repository } = keeper
        return (await findOwnLevel(db, repository.id, id)) === 'admin' ? id : repository.owner.id
      }
      if ('organisation' in keeper) {
        const { organisation } = keeper
        return (await ownsOrganisation(organisation.id, id)) ? id : organisation.id
      }
      return id
    },

    async holderOf(hook: WebhookRow): Promise<HookHolder> {
      if (hook.repository_id !== null) {
        const row = await db
          .selectFrom('repository')
          .innerJoin('account', 'account.id', 'repository.owner_id')
          .select(['repository.name', 'account.name as login'])
          .where('repository.id', '=', hook.repository_id)
          .executeTakeFirstOrThrow()
        return { kind: 'repository', repositoryId: hook.repository_id, ...row }
      }
      if (hook.app_id !== null) return { kind: 'app', appId: hook.app_id }
      if (hook.organisation_id === null) return { kind: 'site' }
      const { name: login } = await db
        .selectFrom('account')
        .select('name')
        .where('id', '=', hook.organisation_id)
        .executeTakeFirstOrThrow()
      return { kind: 'organisation', organisationId: hook.organisation_id, login }
    },
  }
}
