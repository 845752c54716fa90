/**
 * Slots for requests on their way. Whoever has none comes first: a second one is had only while half of all are free. Owners
 * whose receivers were slow of late have one each, and half of all together, so that the others find room whatever they do.
 * Of one owner's hooks that want a slot, the one that had the least of them is next: a slow receiver does not stop quick ones.
 */
import { makeRecentUsage } from '../../base/recent-usage.ts'
import { makeHostTurns } from './host-turns.ts'
import type { WebhookLimits } from './webhook-limits.ts'

type Bounds = Pick<WebhookLimits, 'sentAtOnce' | 'sentAtOncePerHost' | 'sentAtOncePerOwner'>

/** Within a minute or so, beyond what quick receivers take. */
const slowMs = 5_000
/** A hook that asked so long ago and found no room has given up, or asks more seldom: none of its owner's waits for it. */
const freshMs = 3_000
const mostWaitedFor = 1_000

export type SendingSlots = ReturnType<typeof makeSendingSlots>

export function makeSendingSlots(
  { sentAtOnce, sentAtOncePerHost, sentAtOncePerOwner }: Bounds,
  now: () => number = () => performance.now(),
) {
  const taken = new Map<string, number>()
  /** Whose requests are on their way to each host. */
  const callers = new Map<string, number[]>()
  const turns = makeHostTurns(now)
  const usage = makeRecentUsage()
  const hookUsage = makeRecentUsage()
  /** The hooks of an owner that last asked in vain, and when. */
  const waiting = new Map<number, Map<number, number>>()
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

  function isNextOf(owner: number, hook: number): boolean {
    const others = waiting.get(owner)
    if (!others) return true
    const used = hookUsage.of(String(hook))
    for (const [other, at] of others) {
      if (at < now() - freshMs) others.delete(other)
      else if (other !== hook && hookUsage.of(String(other)) < used) return false
    }
    return true
  }

  function noteWaiting(owner: number, hook: number): void {
    if (waiting.size >= mostWaitedFor) waiting.clear()
    const hooks = waiting.get(owner) ?? new Map<number, number>()
    waiting.set(owner, hooks.set(hook, now()))
  }

  function noteEntered(owner: number, hook: number): void {
    const hooks = waiting.get(owner)
    hooks?.delete(hook)
    if (hooks?.size === 0) waiting.delete(owner)
  }

  /** Who holds none at a host comes before those who do, and whoever was served there longest ago before the others. */
  const hasRoomAt = (host: string, owner: number): boolean =>
    (callers.get(host) ?? []).length < sentAtOncePerHost && turns.isNext(host, owner)

  function leave(host: string, owner: number): void {
    const there = callers.get(host)!
    there.splice(there.indexOf(owner), 1)
    if (there.length > 0) return
    callers.delete(host)
    turns.noteEmpty(host)
  }

  return {
    /** Whether one would be had now. */
    isFree: (host: string, owner: number, hook: number): boolean =>
      hasRoom(owner) && isNextOf(owner, hook) && hasRoomAt(host, owner),

    /** Answers how to leave, and after how long; undefined where there is no room now. */
    enter(host: string, owner: number, hook: number): ((tookMs: number) => void) | undefined {
      if (!hasRoom(owner) || !isNextOf(owner, hook)) return void noteWaiting(owner, hook)
      if (!hasRoomAt(host, owner)) return void turns.noteRefused(host, owner, callers.get(host) ?? [])
      noteEntered(owner, hook)
      const keys = ['all', `owner:${owner}`, ...(isSlow(owner) ? ['slow'] : [])]
      for (const key of keys) add(key, 1)
      callers.set(host, [...(callers.get(host) ?? []), owner])
      turns.noteServed(host, owner)
      return (tookMs) => {
        for (const key of keys) add(key, -1)
        leave(host, owner)
        hookUsage.add(String(hook), tookMs)
        // What a quick receiver takes is no sign of a slow one, however often it is called.
        if (tookMs > 1_000) usage.add(String(owner), tookMs)
      }
    },
  }
}
