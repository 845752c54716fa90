/**
 * Slots for requests on their way. Whoever has none comes first: a second one is had only while half of all are free. Owners
 * whose receivers were slow of late have one each, and half of all together, so that the others find room whatever they do.
 */
import { makeRecentUsage } from '../../base/recent-usage.ts'
import { makeHostTurns } from './host-turns.ts'
import type { WebhookLimits } from './webhook-limits.ts'

type Bounds = Pick<WebhookLimits, 'sentAtOnce' | 'sentAtOncePerHost' | 'sentAtOncePerOwner'>

/** Within a minute or so, beyond what quick receivers take. */
const slowMs = 5_000

export type SendingSlots = ReturnType<typeof makeSendingSlots>

export function makeSendingSlots({ sentAtOnce, sentAtOncePerHost, sentAtOncePerOwner }: Bounds, now?: () => number) {
  const taken = new Map<string, number>()
  /** Whose requests are on their way to each host. */
  const callers = new Map<string, number[]>()
  const turns = makeHostTurns(now)
  const usage = makeRecentUsage()
  const half = Math.ceil(sentAtOnce / 2)
  const held = (key: string): number => taken.get(key) ?? 0
  const add = (key: string, difference: number) => {
    const count = held(key) + difference
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }
  const isSlow = (owner: number): boolean => usage.of(String(owner)) >= slowMs

  function hasRoom(owner: number): boolean {
    const own = held(`owner:${owner}`)
    if (held('all') >= sentAtOnce || own >= sentAtOncePerOwner) return false
    if (isSlow(owner)) return own === 0 && held('slow') < half
    return own === 0 || held('all') < half
  }

  /** Who holds none at a host comes before those who do, and whoever was served there longest ago before the others. */
  function hasRoomAt(host: string, owner: number): boolean {
    const there = callers.get(host) ?? []
    if (there.length < sentAtOncePerHost && turns.isNext(host, owner)) return true
    turns.noteRefused(host, owner, there)
    return false
  }

  function leave(host: string, owner: number): void {
    const there = callers.get(host)!
    there.splice(there.indexOf(owner), 1)
    if (there.length > 0) return
    callers.delete(host)
    turns.noteEmpty(host)
  }

  return {
    /** Answers how to leave, and after how long; undefined where there is no room now. */
    enter(host: string, owner: number): ((tookMs: number) => void) | undefined {
      if (!hasRoom(owner) || !hasRoomAt(host, owner)) return undefined
      const keys = ['all', `owner:${owner}`, ...(isSlow(owner) ? ['slow'] : [])]
      for (const key of keys) add(key, 1)
      callers.set(host, [...(callers.get(host) ?? []), owner])
      turns.noteServed(host, owner)
      return (tookMs) => {
        for (const key of keys) add(key, -1)
        leave(host, owner)
        // What a quick receiver takes is no sign of a slow one, however often it is called.
        if (tookMs > 1_000) usage.add(String(owner), tookMs)
      }
    },
  }
}
