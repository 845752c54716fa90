/** The executors that have connected: who they are and which languages they offer. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { memoizeRead } from '../../store/read-memo.ts'
import type { Store } from '../../store/store.ts'
import { isWorker, requireAct } from '../access.ts'
import type { FeatureSet } from '../features.ts'
import { builtInLanguages, type Language } from './built-in-languages.ts'

export type ExecutorDraft = {
  readonly name: string
  readonly languages: readonly Language[]
  readonly parallelRuns: number
  readonly features: FeatureSet
}

/** The name of the executor that the server itself runs. */
export const builtInExecutor = 'built-in'

/** Executors register every minute; one that has not for three counts as gone. */
const goneAfterMs = 3 * 60_000
const seenWriteMs = 60_000
/** Every claim asks for what is connected; the database is asked at most this often. */
const connectedCacheMs = 1_000

export type Executors = ReturnType<typeof makeExecutors>

export function makeExecutors({ store, clock }: { store: Store; clock: Clock }) {
  const seen = new Map<number, number>()
  type Connected = {
    readonly at: number
    readonly languages: ReadonlySet<string>
    readonly slots: number
    /** Of each executor. */
    readonly features: readonly FeatureSet[]
  }
  let connected: Connected | undefined

  async function save(accountId: number, draft: ExecutorDraft): Promise<void> {
    const { name, languages, parallelRuns, features } = draft
    const now = clock.now()
    const state = { languages: JSON.stringify(languages), parallel_runs: parallelRuns, features, seen_at: now }
    await store.write((trx) =>
      trx
        .insertInto('executor')
        .values({ account_id: accountId, name, first_seen_at: now, ...state })
        .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(state))
        .execute(),
    )
    connected = undefined
  }

  const isPresent = (seenAt: number): boolean => seenAt > clock.now() - goneAfterMs

  const readAll = memoizeRead(store, async (_all: string) => {
    const rows = await store.db
      .selectFrom('executor')
      .select(['account_id', 'name', 'languages', 'parallel_runs', 'seen_at', 'features'])
      .orderBy('seen_at', 'desc')
      .limit(1000)
      .execute()
    return rows.map((row) => ({ ...row, languages: JSON.parse(row.languages) as Language[] }))
  })
  const read = () => readAll('all')

  return {
    /** Whether an executor that was last seen then counts as connected. */
    isPresent,

    async register(actor: Actor, draft: ExecutorDraft): Promise<void> {
      requireAct(actor, 'registerExecutor')
      seen.set(actor.account.id, clock.now())
      await save(actor.account.id, draft)
    },

    /** An executor that never registers has connected too, once it claims. An admin who claims by hand is no executor. */
    async recordClaim(actor: Actor, features: FeatureSet): Promise<void> {
      requireAct(actor, 'claim')
      if (!isWorker(actor)) return
      const { id } = actor.account
      if ((seen.get(id) ?? 0) > clock.now() - seenWriteMs) return
      seen.set(id, clock.now())
      const known = await store.db
        .selectFrom('executor')
        .select('name')
        .where('account_id', '=', id)
        .where('name', '!=', '')
        .limit(1)
        .executeTakeFirst()
      if (!known) await save(id, { name: '', languages: [], parallelRuns: 1, features })
    },

    /** The languages that the executors which are connected offer, and how many submissions all of them judge at a time. */
    async readConnected(): Promise<Connected> {
      if (connected && Math.abs(clock.now() - connected.at) < connectedCacheMs) return connected
      const present = (await read()).filter((row) => isPresent(row.seen_at))
      const languages = new Set(present.flatMap((row) => row.languages.map(({ value }) => value)))
      connected = {
        at: clock.now(),
        languages,
        slots: present.reduce((sum, row) => sum + row.parallel_runs, 0),
        features: present.map((row) => row.features),
      }
      return connected
    },

    /** The languages of the connected executors; where none is connected, those offered last, and before the first the built-in table. */
    async describe(): Promise<{ isDistributed: boolean; languages: readonly Language[] }> {
      const all = await read()
      const isDistributed = all.some((row) => row.name !== builtInExecutor)
      const present = all.filter((row) => isPresent(row.seen_at))
      const languages = new Map<string, Language>()
      for (const row of present.length > 0 ? present : all) {
        for (const language of row.languages)
          if (!languages.has(language.value)) languages.set(language.value, language)
      }
      const isOffered = languages.size > 0
      return { isDistributed, languages: isOffered ? [...languages.values()] : builtInLanguages }
    },
  }
}
