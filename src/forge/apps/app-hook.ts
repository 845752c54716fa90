/** The hook of an app as the app itself reads and changes it, with its JSON web token. */
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Store } from '../../store/store.ts'
import type { AppItself } from '../access/app-access.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { notFound } from '../failures.ts'

export type AppHookChange = { readonly url?: string | undefined; readonly secret?: string | null | undefined }

export type AppHook = ReturnType<typeof makeAppHook>

type Needs = { store: Store; clock: Clock; activity: Pick<ActivityRecord, 'waitUntilHooksDispatched'> }

export function makeAppHook({ store, clock, activity }: Needs) {
  return {
    async get(app: AppItself): Promise<{ url: string | null; hasSecret: boolean }> {
      const row = await store.db
        .selectFrom('app')
        .select(['hook_url', 'hook_secret'])
        .where('id', '=', app.id)
        .executeTakeFirst()
      if (!row) throw notFound()
      return { url: row.hook_url, hasSecret: row.hook_secret !== null }
    },

    /** Setting a URL activates the hook. */
    async change(app: AppItself, { url, secret }: AppHookChange): Promise<void> {
      const set = omitUndefined({
        hook_url: url,
        is_hook_active: url === undefined ? undefined : 1,
        hook_secret: secret === undefined ? undefined : secret || null,
      })
      await activity.waitUntilHooksDispatched()
      await store.write((trx) =>
        trx
          .updateTable('app')
          .set({ ...set, updated_at: clock.now() })
          .where('id', '=', app.id)
          .execute(),
      )
    },
  }
}
