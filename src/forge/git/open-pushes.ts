/** Which repositories are being pushed to: until a push is settled, git alone knows where their refs lead. */
import { type Awaitable, whenKnown } from '../../base/awaitable.ts'
import { memoizeRead } from '../../store/read-memo.ts'
import type { Store } from '../../store/store.ts'

export type OpenPushes = ReturnType<typeof makeOpenPushes>

export function makeOpenPushes({ store }: { store: Store }) {
  /** All at once: they are few, and one look answers for every repository until a push begins or ends somewhere. */
  const readAll = memoizeRead(store, async (_all: string) => {
    const rows = await store.db.selectFrom('push').select('repository_id').where('state', '=', 'receiving').execute()
    return new Set(rows.map(({ repository_id }) => repository_id))
  })

  return {
    /** Also one whose server died: it is open until another server settles it. */
    has: (repositoryId: number): Awaitable<boolean> => whenKnown(readAll(''), (open) => open.has(repositoryId)),
  }
}
