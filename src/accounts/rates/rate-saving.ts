/** Saves what the only server at its PostgreSQL has counted in memory: now and then, before the table is asked, and before others come. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Log } from '../../base/log.ts'
import type { Budget } from './rate-counts.ts'
import type { SoleCounts, Unsaved } from './sole-counts.ts'

/** What a killed server has not saved is lost. */
const everyMs = 1_000
const batchSize = 1_000
const patienceMs = 1_000

type Needs = {
  readonly counts: SoleCounts
  /** In the table, beyond any limit. */
  spend(budgets: readonly Budget[]): Promise<unknown>
  readonly log: Log
}

export function makeRateSaving({ counts, spend, log }: Needs) {
  let saving: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** One after the other: who asks the table for a window must find in it what was spent here. */
  function save(keys?: readonly string[]): Promise<void> {
    const saved = (saving ?? Promise.resolve()).catch(() => {}).then(() => saveNow(counts.takeUnsaved(keys)))
    const clear = () => {
      if (saving === saved) saving = undefined
    }
    saved.then(clear, clear)
    saving = saved
    return saved
  }

  async function saveNow(unsaved: readonly Unsaved[]): Promise<void> {
    for (let begin = 0; begin < unsaved.length; begin += batchSize) {
      const batch = unsaved.slice(begin, begin + batchSize)
      await spend(batch.map(toBudget)).catch((error) => {
        counts.giveBack(unsaved.slice(begin))
        throw error
      })
    }
  }

  function saveLater(): void {
    timer = undefined
    save().catch((error) => {
      log.warn({ err: error }, 'rates could not be saved')
      soon()
    })
  }

  function soon(): void {
    timer ??= setTimeout(saveLater, everyMs).unref()
  }

  return {
    all: () => save(),
    /** Before the table is asked for these. Where a connection is silent nobody waits for it for long. */
    of(budgets: readonly Budget[]): Awaitable<void> {
      if (!saving && counts.isSaved()) return undefined
      return Promise.race([save(budgets.map(({ key }) => key)), sleep(patienceMs, undefined, { ref: false })])
    },
    soon,
    async close(): Promise<void> {
      await save().catch(() => {})
      clearTimeout(timer)
    },
  }
}

const toBudget = ({ key, amount, lastsMs }: Unsaved): Budget => ({
  ...{ key, limit: Number.MAX_SAFE_INTEGER, windowMs: lastsMs, cost: amount },
})
