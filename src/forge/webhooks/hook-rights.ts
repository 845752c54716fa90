/** What a hook may tell: no more than its owner may see, asked anew before each attempt. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Store } from '../../store/store.ts'
import { listReaders } from '../access/repository.ts'
import type { DeliveryRow } from './delivery.ts'
import type { HookHolder, WebhookRow } from './webhook.ts'

type Needs = { store: Store; accounts: Accounts }

export type HookRights = ReturnType<typeof makeHookRights>

export function makeHookRights({ store: { db }, accounts }: Needs) {
  async function readsRepository(repositoryId: number, userId: number): Promise<boolean | undefined> {
    const row = await db.selectFrom('repository').select('id').where('id', '=', repositoryId).executeTakeFirst()
    if (!row) return undefined
    const readers = await listReaders(db, repositoryId, [userId])
    return readers === 'everyone' || readers.has(userId)
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

  /** Whether its owner could make it still. */
  async function mayKeep(hook: WebhookRow, isSiteAdmin: boolean): Promise<boolean> {
    if (isSiteAdmin) return true
    if (hook.holder === 'site') return false
    // An app that is installed on an organisation comes in its name.
    return (
      hook.organisation_id === null ||
      hook.organisation_id === hook.owner_id ||
      (await ownsOrganisation(hook.organisation_id, hook.owner_id))
    )
  }

  return {
    /**
     * A hook of an organisation or of the site is one of its owners and admins; whoever is none of them any more is told
     * nothing. Of a repository one is told for as long as one may read it.
     */
    async maySee(hook: WebhookRow, { repository_id }: Pick<DeliveryRow, 'repository_id'>): Promise<boolean> {
      const owner = await accounts.findById(hook.owner_id)
      if (!owner || owner.isSuspended) return false
      const isSiteAdmin = owner.role === 'admin' && owner.kind === 'user'
      if (!(await mayKeep(hook, isSiteAdmin))) return false
      if (repository_id === null || isSiteAdmin) return true
      // What is gone was told of by its organisation or the site, whose owner sees all that it had.
      return (await readsRepository(repository_id, hook.owner_id)) ?? hook.repository_id === null
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
