/**
 * How many threads of the inbox are unread: counted when the page is opened, and whenever the inbox may have changed.
 */
import { watchInbox } from '../api/live.ts'
import { countUnread } from '../api/notifications.ts'
import { makeStore, useStore } from './store.ts'

const store = makeStore(0)

export const useUnread = (): number => useStore(store)

/** Until the function it answers is called. */
export function followUnread(): () => void {
  let isHere = true
  let isBusy = false
  let isDue = false
  async function look(): Promise<void> {
    isDue = true
    if (isBusy) return
    isBusy = true
    while (isDue && isHere) {
      isDue = false
      // If the number can't be read, the last one stays.
      const count = await countUnread().catch(() => undefined)
      if (isHere && count !== undefined) store.set(count)
    }
    isBusy = false
  }
  const stop = watchInbox(() => void look())
  void look()
  return () => {
    isHere = false
    store.set(0)
    stop()
  }
}
