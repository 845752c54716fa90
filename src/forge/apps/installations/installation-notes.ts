/** Records a change of an installation in the same write: in the audit log, and as activity for the app's hook. */
import type { Actor } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { recordInstallationAct } from '../app-audit.ts'
import { type Installation, listChosen } from './installation.ts'

/** Acts by their names in the audit log, and their actions in hook events. */
const actions = {
  create: 'created',
  destroy: 'deleted',
  suspend: 'suspend',
  unsuspend: 'unsuspend',
  version_updated: 'new_permissions_accepted',
  repositories_changed: 'repositories',
  repositories_added: 'repositories',
  repositories_removed: 'repositories',
} as const

type Data = Parameters<typeof recordInstallationAct>[5]
type Moved = { readonly added: readonly number[]; readonly removed: readonly number[] }

export const makeInstallationNotes =
  ({ clock, activity }: { clock: Clock; activity: ActivityRecord }) =>
  async (
    trx: Db,
    by: Actor,
    act: keyof typeof actions,
    installation: Installation,
    data: Data = {},
    moved?: Moved,
  ): Promise<void> => {
    await recordInstallationAct(trx, clock.now(), by, act, installation, data)
    const added = moved?.added ?? (act === 'create' ? await listChosen(trx, installation.id) : [])
    const { id, app, account } = installation
    await activity.record(trx, {
      kind: 'installation-changed',
      // If the app itself acts, its bot is the actor.
      actorId: by.account?.id ?? app.botId ?? app.owner.id,
      subjectId: id,
      data: {
        action: actions[act],
        appId: app.id,
        accountId: account.id,
        gone: {
          installation,
          added: await describe(trx, added),
          removed: await describe(trx, moved?.removed ?? []),
        },
      },
    })
  }

async function describe(trx: Db, ids: readonly number[]): Promise<object[]> {
  if (ids.length === 0) return []
  const rows = trx.selectFrom('repository').select(['id', 'name', 'is_private']).where('id', 'in', ids)
  return (await rows.orderBy('id').execute()).map(({ id, name, is_private }) => ({
    id,
    name,
    private: is_private === 1,
  }))
}
