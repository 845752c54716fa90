/**
 * The live tail: a data set's items from an offset on, then new ones as they come. It is woken by pushes at this
 * server, and by polling the counts of all followed data sets, which shows other servers' pushes.
 */
import { Failure } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import { logOutage } from '../lib/outages/outage-log.ts'
import type { Store } from '../store/store.ts'
import type { ItemLog } from './log/item-log.ts'

/** The longest time until another server's push is noticed. */
const lookMs = 500
/** Without new items, each follower gets an empty part this often, to check its rights and notice if it left. */
const idleMs = 15_000
const usual = { perCaller: 20, inAll: 1_000 }
const keysAtOnce = 500

/** Lines of new items and the offset after them; no lines if nothing came for a while. */
export type TailPart = { readonly lines: Buffer; readonly from: number; readonly next: number }

type Follower = { readonly key: number; readonly caller: string; seen: number; wake(): void }
type Needs = { store: Store; log: Log; items: ItemLog }

export function makeTails({ store, log, items }: Needs, { perCaller, inAll } = usual) {
  const followers = new Set<Follower>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isClosed = false

  async function countItems(keys: readonly number[]): Promise<Map<number, number>> {
    const counts = new Map<number, number>()
    for (let i = 0; i < keys.length; i += keysAtOnce) {
      const rows = await store.db
        .selectFrom('dataset')
        .select(['id', 'item_count'])
        .where('id', 'in', keys.slice(i, i + keysAtOnce))
        .execute()
      for (const { id, item_count } of rows) counts.set(id, item_count)
    }
    return counts
  }

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      const counts = await countItems([...new Set([...followers].map(({ key }) => key))])
      for (const follower of followers) if (counts.get(follower.key) !== follower.seen) follower.wake()
    } catch (error) {
      logOutage(log, 'error', { err: error }, 'new items were not looked for')
    } finally {
      isLooking = false
    }
  }

  function demandSpace(caller: string): void {
    const own = [...followers].filter((follower) => follower.caller === caller).length
    if (own < perCaller && followers.size < inAll) return
    const reason =
      own < perCaller
        ? 'Too many clients follow data sets at this moment: try again later.'
        : `At most ${perCaller} data sets are followed at a time.`
    throw new Failure('limited', 'rate-limit-exceeded', reason, { retryAfterSeconds: 10 })
  }

  /** Ends with the data set, and when the server stops. */
  async function* follow(key: number, from: number, follower: Follower, pause: () => Promise<void>) {
    let at = from
    try {
      while (!isClosed) {
        const count = (await countItems([key])).get(key)
        if (count === undefined) return
        follower.seen = count
        if (at < count) {
          for await (const slice of items.plan(key, { from: at, to: count })) {
            if (isClosed) return
            yield { lines: await items.read(key, slice), from: slice.from, next: slice.to } satisfies TailPart
          }
          at = count
        } else {
          await pause()
          yield { lines: Buffer.alloc(0), from: at, next: at } satisfies TailPart
        }
      }
    } finally {
      remove(follower)
    }
  }

  function remove(follower: Follower): void {
    followers.delete(follower)
    if (followers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** `leave`: for when the follower has gone, perhaps before the first part was requested. */
    open(caller: string, key: number, from: number): { parts: AsyncGenerator<TailPart>; leave(): void } {
      demandSpace(caller)
      let turn = Promise.withResolvers<void>()
      const follower: Follower = { key, caller, seen: -1, wake: () => turn.resolve() }
      followers.add(follower)
      timer ??= setInterval(look, lookMs).unref()
      const pause = async () => {
        const idle = setTimeout(() => turn.resolve(), idleMs)
        await turn.promise
        clearTimeout(idle)
        turn = Promise.withResolvers<void>()
      }
      const leave = () => {
        remove(follower)
        follower.wake()
      }
      return { parts: follow(key, from, follower, pause), leave }
    },
    /** This server has stored items of the data set. */
    wake(key: number) {
      for (const follower of followers) if (follower.key === key) follower.wake()
    },
    close() {
      isClosed = true
      for (const follower of followers) follower.wake()
      clearInterval(timer)
    },
  }
}
