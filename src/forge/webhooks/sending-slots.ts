/**
 * Slots for requests on their way. Whoever has none comes first: a second one is had only while half of all are free. Owners
 * whose receivers were slow of late have one each, and half of all together, so that the others find room whatever they do.
 */
import { makeRecentUsage } from '../../base/recent-usage.ts'
import type { WebhookLimits } from './webhook-limits.ts'

type Bounds = Pick<WebhookLimits, 'sentAtOnce' | 'sentAtOncePerHost' | 'sentAtOncePerOwner'>

/** Within a minute or so, beyond what quick receivers take. */
const slowMs = 5_000

export type SendingSlots = ReturnType<typeof makeSendingSlots>

export function makeSendingSlots({ sentAtOnce, sentAtOncePerHost, sentAtOncePerOwner }: Bounds) {
  const taken = new Map<string, number>()
  const usage = makeRecentUsage()
  const half = Math.ceil(sentAtOnce / 2)
  const held = (key: string): number => taken.get(key) ?? 0
  const add = (key: string, difference: number) => {
    const count = held(key) + difference
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }
  const isSlow = (owner: number): boolean => usage.of(String(owner)) >= slowMs

  function hasRoom(host: string, owner: number): boolean {
    const own = held(`owner:${owner}`)
    if (held('all') >= sentAtOnce || held(`host:${host}`) >= sentAtOncePerHost || own >= sentAtOncePerOwner)
      return false
    if (isSlow(owner)) return own === 0 && held('slow') < half
    return own === 0 || held('all') < half
  }

  return {
    /** Answers how to leave, and after how long; undefined where there is no room now. */
    enter(host: string, owner: number): ((tookMs: number) => void) | undefined {
      if (!hasRoom(host, owner)) return undefined
      const keys = ['all', `host:${host}`, `owner:${owner}`, ...(isSlow(owner) ? ['slow'] : [])]
      for (const key of keys) add(key, 1)
      return (tookMs) => {
        for (const key of keys) add(key, -1)
        // What a quick receiver takes is no sign of a slow one, however often it is called.
        if (tookMs > 1_000) usage.add(String(owner), tookMs)
      }
    },
  }
}
