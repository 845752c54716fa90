/** Slots for requests on their way: a slow host, or one owner's many hooks, must not take them all. */
import type { WebhookLimits } from './webhook-limits.ts'

type Bounds = Pick<WebhookLimits, 'sentAtOncePerHost' | 'sentAtOncePerOwner'>

export function makeSendingSlots({ sentAtOncePerHost, sentAtOncePerOwner }: Bounds) {
  const taken = new Map<string, number>()
  const add = (key: string, difference: number) => {
    const count = (taken.get(key) ?? 0) + difference
    if (count === 0) taken.delete(key)
    else taken.set(key, count)
  }

  return {
    /** Answers how to leave; undefined where there is no room now. */
    enter(host: string, owner: number): (() => void) | undefined {
      const [hostKey, ownerKey] = [`host:${host}`, `owner:${owner}`]
      const isFull = (taken.get(hostKey) ?? 0) >= sentAtOncePerHost || (taken.get(ownerKey) ?? 0) >= sentAtOncePerOwner
      if (isFull) return undefined
      for (const key of [hostKey, ownerKey]) add(key, 1)
      return () => {
        for (const key of [hostKey, ownerKey]) add(key, -1)
      }
    },
  }
}
