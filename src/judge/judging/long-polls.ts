/**
 * Long polls: calls that wait for a submission to claim, or for one to finish. Each ends when its client disconnects.
 */
import type { Actor } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { SubmissionEvents } from '../submissions/submission-events.ts'
import type { Submissions } from '../submissions/submissions.ts'
import type { Claim, ClaimWish } from './claim.ts'
import type { Queue } from './queue.ts'

/** `signal` is aborted when the client disconnects. */
export type LongPollOptions = { readonly waitMs: number; readonly signal: AbortSignal }

/** A waiting call also polls at this interval: a lease may have expired, or an event been lost. */
const pollMs = 1_000

/** `tryClaim` returns false if there was nothing to claim. */
type Claimer = { readonly wishKey: string; tryClaim(): Promise<boolean> }

/** `quota`: how many calls of one account may wait at the same time. */
type Needs = { queue: Queue; submissions: Submissions; events: SubmissionEvents; quota: number }

export type LongPolls = ReturnType<typeof makeLongPolls>

export function makeLongPolls({ queue, submissions, events, quota }: Needs) {
  const waitingBy = new Map<number, number>()
  const closing = new AbortController()
  const claimers = new Set<Claimer>()
  let waitingCount = 0
  let serving: Promise<void> | undefined
  let isWokenAgain = false

  /**
   * Claimers try one after another in the order of arrival, so that many do not compete for one submission. If one
   * finds nothing, others with the same wish are skipped in this pass; otherwise a later one might be served first.
   */
  async function serveClaimers(): Promise<void> {
    do {
      isWokenAgain = false
      const exhausted = new Set<string>()
      for (const claimer of [...claimers]) {
        if (!claimers.has(claimer) || exhausted.has(claimer.wishKey)) continue
        if (!(await claimer.tryClaim())) exhausted.add(claimer.wishKey)
      }
    } while (isWokenAgain)
  }

  function wakeClaimers(): void {
    isWokenAgain = true
    if (claimers.size === 0) return
    serving ??= serveClaimers().finally(() => {
      serving = undefined
    })
  }

  // A finished submission frees a place for its author's next one.
  const stops = [events.onWaiting(wakeClaimers), events.onFinished(wakeClaimers)]

  /**
   * Calls `poll` now and at an interval. Resolves with undefined when the time is up, the client has disconnected or
   * the server stops. `begin` starts the waiting and returns a function that stops it.
   */
  function waitFor<T>(
    { account }: Actor,
    { waitMs, signal }: LongPollOptions,
    poll: () => void,
    begin: (settle: Settle<T>) => () => void,
  ) {
    const who = account?.id ?? 0
    const own = waitingBy.get(who) ?? 0
    demand(own < quota, 'limited', 'waiting-calls', `An account may have ${quota} calls waiting: end some first.`)
    waitingBy.set(who, own + 1)
    waitingCount++
    return new Promise<T | undefined>((resolve, reject) => {
      const over = AbortSignal.any([signal, closing.signal])
      const end = (settle: () => void) => {
        waitingCount--
        const left = waitingBy.get(who)! - 1
        if (left > 0) waitingBy.set(who, left)
        else waitingBy.delete(who)
        stop()
        clearTimeout(timer)
        clearInterval(polling)
        over.removeEventListener('abort', giveUp)
        settle()
      }
      const giveUp = () => end(() => resolve(undefined))
      const stop = begin({
        resolve: (value) => end(() => resolve(value)),
        reject: (error) => end(() => reject(error)),
      })
      const timer = setTimeout(giveUp, waitMs)
      const polling = setInterval(poll, pollMs)
      over.addEventListener('abort', giveUp)
      // The event may have been published between the caller's first check and this subscription.
      if (over.aborted) giveUp()
      else poll()
    })
  }

  return {
    /** How many calls wait at this moment. */
    countWaiting: (): number => waitingCount,

    /** Undefined when the time is up without a submission, or when the client has disconnected. */
    async claim(actor: Actor, wish: ClaimWish, options: LongPollOptions): Promise<Claim | undefined> {
      if (options.signal.aborted) return undefined
      const claim = await queue.claim(actor, wish)
      if (claim && options.signal.aborted) {
        await queue.giveBack(actor, { id: claim.submission.id, lease: claim.lease })
        return undefined
      }
      if (claim || options.waitMs === 0) return claim
      return waitFor<Claim>(actor, options, wakeClaimers, ({ resolve, reject }) => {
        const claimer: Claimer = {
          wishKey: JSON.stringify(wish),
          async tryClaim() {
            try {
              const found = await queue.claim(actor, wish)
              if (!found) return false
              // The client has disconnected meanwhile and would never receive its claim.
              if (!claimers.has(claimer)) await queue.giveBack(actor, { id: found.submission.id, lease: found.lease })
              else resolve(found)
            } catch (error) {
              reject(error)
            }
            return true
          },
        }
        claimers.add(claimer)
        return () => claimers.delete(claimer)
      })
    },

    /** Resolves when the submission is finished or deleted, or the time is up. */
    async untilFinished(actor: Actor, id: number, options: LongPollOptions): Promise<void> {
      if ((await submissions.isFinished(actor, id)) || options.waitMs === 0) return
      let poll = () => {}
      await waitFor<void>(
        actor,
        options,
        () => poll(),
        ({ resolve, reject }) => {
          poll = () => void submissions.isFinished(actor, id).then((isFinished) => isFinished && resolve(), reject)
          return events.onFinished((ids) => {
            if (!ids || ids.has(id)) poll()
          })
        },
      )
    },

    /**
     * Calls `look` until it finds something, one call at a time. Undefined when the time is up; `undo` takes a result
     * that comes too late.
     */
    async untilFound<T>(actor: Actor, search: Search<T>): Promise<T | undefined> {
      const { waitMs, signal } = search
      if (signal.aborted) return undefined
      const found = await search.look()
      if (found !== undefined && signal.aborted) await search.undo?.(found)
      if (found !== undefined || waitMs === 0 || signal.aborted) return signal.aborted ? undefined : found
      let wake = () => {}
      return waitFor<T>(
        actor,
        search,
        () => wake(),
        ({ resolve, reject }) => {
          let isOver = false
          let isLooking = false
          let isWoken = false
          const look = async () => {
            isLooking = true
            try {
              do {
                isWoken = false
                const later = await search.look()
                if (later === undefined) continue
                if (isOver) await search.undo?.(later)
                else resolve(later)
                return
              } while (isWoken && !isOver)
            } catch (error) {
              if (!isOver) reject(error)
            } finally {
              isLooking = false
            }
          }
          wake = () => {
            isWoken = true
            if (!isLooking && !isOver) void look()
          }
          const stop = search.listen(() => wake())
          return () => {
            isOver = true
            stop()
          }
        },
      )
    },

    /** Ends every long poll as if its time were up. */
    async close(): Promise<void> {
      closing.abort()
      for (const stop of stops) stop()
      await serving
    },
  }
}

type Search<T> = LongPollOptions & {
  look(): Promise<T | undefined>
  listen(wake: () => void): () => void
  undo?(found: T): Promise<void>
}

type Settle<T> = { resolve(value: T): void; reject(error: unknown): void }
