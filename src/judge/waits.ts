/** Calls that wait: for a submission to claim, and for one to be finished. Each ends when its caller has gone. */
import type { Actor, SignedIn } from '../accounts/actor.ts'
import type { Claim, Queue } from './queue.ts'
import type { Submissions } from './submissions.ts'
import type { Tidings } from './tidings.ts'

export type Patience = { readonly waitMs: number; readonly signal: AbortSignal }

/** Those who wait look for themselves so often: a lease may have ended, or a signal been lost. */
const lookAgainMs = 1_000

type Needs = { queue: Queue; submissions: Submissions; tidings: Tidings }

export type Waits = ReturnType<typeof makeWaits>

export function makeWaits({ queue, submissions, tidings }: Needs) {
  const closing = new AbortController()
  const line = new Set<() => Promise<boolean>>()
  let serving: Promise<void> | undefined
  let isCalledAgain = false

  /** One after another in the order they came: many who wait must not all run for one submission. */
  async function serveLine(): Promise<void> {
    do {
      isCalledAgain = false
      for (const tryOnce of [...line]) if (line.has(tryOnce) && (await tryOnce())) line.delete(tryOnce)
    } while (isCalledAgain)
  }

  function callLine(): void {
    isCalledAgain = true
    if (line.size === 0) return
    serving ??= serveLine().finally(() => {
      serving = undefined
    })
  }

  const forget = tidings.onWaiting(callLine)

  return {
    /** Undefined when the time is up and nothing came. */
    async claim(
      actor: Actor,
      languages: readonly string[] | undefined,
      { waitMs, signal }: Patience,
    ): Promise<Claim | undefined> {
      const claim = await queue.claim(actor, languages)
      if (claim || waitMs === 0) return claim
      return new Promise<Claim | undefined>((resolve, reject) => {
        const over = AbortSignal.any([signal, closing.signal])
        const end = (settle: () => void) => {
          line.delete(tryOnce)
          clearTimeout(timer)
          clearInterval(looking)
          over.removeEventListener('abort', giveUp)
          settle()
        }
        const giveUp = () => end(() => resolve(undefined))
        const tryOnce = async (): Promise<boolean> => {
          try {
            const found = await queue.claim(actor, languages)
            if (!found) return false
            // It came too late for this caller, who would never learn of it.
            if (!line.has(tryOnce))
              await queue.giveBack(actor as SignedIn, { id: found.submission.id, lease: found.lease })
            else end(() => resolve(found))
          } catch (error) {
            end(() => reject(error))
          }
          return true
        }
        const timer = setTimeout(giveUp, waitMs)
        const looking = setInterval(callLine, lookAgainMs)
        over.addEventListener('abort', giveUp)
        line.add(tryOnce)
        // One may have come between the first look and this line.
        callLine()
        if (over.aborted) giveUp()
      })
    },

    /** Answers when the submission is finished or gone, or the time is up. */
    async untilFinished(id: number, { waitMs, signal }: Patience): Promise<void> {
      if ((await submissions.isFinished(id)) || waitMs === 0) return
      await new Promise<void>((resolve, reject) => {
        const over = AbortSignal.any([signal, closing.signal])
        const end = (settle: () => void) => {
          stop()
          clearTimeout(timer)
          clearInterval(looking)
          over.removeEventListener('abort', giveUp)
          settle()
        }
        const giveUp = () => end(resolve)
        const look = () => {
          submissions.isFinished(id).then(
            (isFinished) => isFinished && end(resolve),
            (error) => end(() => reject(error)),
          )
        }
        const stop = tidings.onFinished((ids) => {
          if (!ids || ids.has(id)) look()
        })
        const timer = setTimeout(giveUp, waitMs)
        const looking = setInterval(look, lookAgainMs)
        over.addEventListener('abort', giveUp)
        look()
        if (over.aborted) giveUp()
      })
    },

    /** Ends every call that waits, as if its time were up. */
    async close(): Promise<void> {
      closing.abort()
      forget()
      await serving
    },
  }
}
