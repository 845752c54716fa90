/** Calls that wait: for a submission to claim, and for one to be finished. Each ends when its caller has gone. */
import type { Actor } from '../../accounts/actor.ts'
import type { Submissions } from '../submissions/submissions.ts'
import type { Tidings } from '../submissions/tidings.ts'
import type { Claim, Queue } from './queue.ts'

export type Patience = { readonly waitMs: number; readonly signal: AbortSignal }

/** Those who wait look for themselves so often: a lease may have ended, or a signal been lost. */
const lookAgainMs = 1_000

/** Tries to claim; false where there was nothing to be had. */
type Waiter = { readonly wants: string; tryOnce(): Promise<boolean> }

type Needs = { queue: Queue; submissions: Submissions; tidings: Tidings }

export type Waits = ReturnType<typeof makeWaits>

export function makeWaits({ queue, submissions, tidings }: Needs) {
  const closing = new AbortController()
  const line = new Set<Waiter>()
  let serving: Promise<void> | undefined
  let isCalledAgain = false

  /**
   * One after another in the order they came: many who wait must not all run for one submission. Where one got nothing,
   * those who want the same are passed over, or one of them might get what arrives just then.
   */
  async function serveLine(): Promise<void> {
    do {
      isCalledAgain = false
      const inVain = new Set<string>()
      for (const waiter of [...line]) {
        if (!line.has(waiter) || inVain.has(waiter.wants)) continue
        if (!(await waiter.tryOnce())) inVain.add(waiter.wants)
      }
    } while (isCalledAgain)
  }

  function callLine(): void {
    isCalledAgain = true
    if (line.size === 0) return
    serving ??= serveLine().finally(() => {
      serving = undefined
    })
  }

  const stopListening = tidings.onWaiting(callLine)

  /** Resolves with undefined when the time is up, the caller has gone or the server stops; `begin` says how to stop looking. */
  function waitPatiently<T>({ waitMs, signal }: Patience, look: () => void, begin: (settle: Settle<T>) => () => void) {
    return new Promise<T | undefined>((resolve, reject) => {
      const over = AbortSignal.any([signal, closing.signal])
      const end = (settle: () => void) => {
        stop()
        clearTimeout(timer)
        clearInterval(looking)
        over.removeEventListener('abort', giveUp)
        settle()
      }
      const giveUp = () => end(() => resolve(undefined))
      const stop = begin({
        resolve: (value) => end(() => resolve(value)),
        reject: (error) => end(() => reject(error)),
      })
      const timer = setTimeout(giveUp, waitMs)
      const looking = setInterval(look, lookAgainMs)
      over.addEventListener('abort', giveUp)
      // What was waited for may have come before anybody listened.
      if (over.aborted) giveUp()
      else look()
    })
  }

  return {
    /** Undefined when the time is up and nothing came. */
    async claim(
      actor: Actor,
      languages: readonly string[] | undefined,
      patience: Patience,
    ): Promise<Claim | undefined> {
      const claim = await queue.claim(actor, languages)
      if (claim || patience.waitMs === 0) return claim
      return waitPatiently<Claim>(patience, callLine, ({ resolve, reject }) => {
        const waiter: Waiter = {
          wants: JSON.stringify(languages ?? null),
          async tryOnce() {
            try {
              const found = await queue.claim(actor, languages)
              if (!found) return false
              // It came too late for this caller, who would never learn of it.
              if (!line.has(waiter)) await queue.giveBack(actor, { id: found.submission.id, lease: found.lease })
              else resolve(found)
            } catch (error) {
              reject(error)
            }
            return true
          },
        }
        line.add(waiter)
        return () => line.delete(waiter)
      })
    },

    /** Answers when the submission is finished or gone, or the time is up. */
    async untilFinished(id: number, patience: Patience): Promise<void> {
      if ((await submissions.isFinished(id)) || patience.waitMs === 0) return
      let look = () => {}
      await waitPatiently<void>(
        patience,
        () => look(),
        ({ resolve, reject }) => {
          look = () => void submissions.isFinished(id).then((isFinished) => isFinished && resolve(), reject)
          return tidings.onFinished((ids) => {
            if (!ids || ids.has(id)) look()
          })
        },
      )
    },

    /** Ends every call that waits, as if its time were up. */
    async close(): Promise<void> {
      closing.abort()
      stopListening()
      await serving
    },
  }
}

type Settle<T> = { resolve(value: T): void; reject(error: unknown): void }
