/** The executors that have connected: their names and the languages that they offer. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { runAs } from '../../lib/scheduling/work-kind.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isWorker, requireAct } from '../access.ts'
import type { FeatureSet } from '../features.ts'
import { builtInLanguages, type Language } from './built-in-languages.ts'

export type ExecutorIdentity = {
  readonly name: string
  /** Distinguishes it from others with its name under the same account; without it they count as one. */
  readonly instance?: string | undefined
}

export type ExecutorDraft = ExecutorIdentity & {
  readonly languages: readonly Language[]
  readonly parallelRuns: number
  readonly features: FeatureSet
}

/** The name of the executor that the server itself runs, followed by the server's host name. */
const builtIn = 'built-in'
const builtInAt = `${builtIn} on `
export const nameBuiltIn = (host: string): string => `${builtInAt}${host.slice(0, 200)}`
const isBuiltIn = (name: string): boolean => name === builtIn || name.startsWith(builtInAt)

const keyOf = ({ name, instance }: ExecutorIdentity): string => (instance === undefined ? name : `${name} ${instance}`)

/** Executors register every minute; after three minutes without it, one counts as gone. */
const goneAfterMs = 3 * 60_000
/** How long a gone executor is still listed. */
const forgottenAfterMs = 24 * 60 * 60_000
/**
 * If an executor offered a language within this time, submissions wait for it: its machine may be down for a moment.
 */
const awaitedMs = 15 * 60_000
const seenWriteMs = 60_000
/** Every claim needs the connected executors; the database is read at most this often. */
const connectedCacheMs = 1_000

export type Executors = ReturnType<typeof makeExecutors>

export function makeExecutors({ store, clock }: { store: Store; clock: Clock }) {
  const seen = new Map<number, number>()
  type Connected = {
    readonly at: number
    /** Languages offered now, or recently enough to wait for them. */
    readonly languages: ReadonlySet<string>
    /** 0 if an executor has not reported its number because it never registered. */
    readonly slots: number
    /** One entry per executor. */
    readonly features: readonly FeatureSet[]
  }
  let connected: Connected | undefined

  async function save(accountId: number, draft: ExecutorDraft): Promise<void> {
    const { name, instance, languages, parallelRuns, features } = draft
    const now = clock.now()
    const state = {
      given_name: name,
      languages: JSON.stringify(languages),
      parallel_runs: parallelRuns,
      features,
      seen_at: now,
    }
    await store.write(
      async (trx) => {
        await trx
          .insertInto('executor')
          .values({ account_id: accountId, name: keyOf({ name, instance }), first_seen_at: now, ...state })
          .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(state))
          .execute()
        await forgetGone(trx, accountId, name, now)
        await rememberLanguages(trx, languages, now)
      },
      { locks: ['judge.executors'] },
    )
    connected = undefined
  }

  /** Marks this account's executors, or one of them, as gone at once because they have ended. */
  async function recordEnd(accountId: number, one?: ExecutorIdentity): Promise<void> {
    const goneAt = clock.now() - goneAfterMs
    await store.write((trx) =>
      trx
        .updateTable('executor')
        .set({ seen_at: goneAt })
        .where('account_id', '=', accountId)
        .where('seen_at', '>', goneAt)
        .$if(one !== undefined, (query) => query.where('name', '=', keyOf(one!)))
        .execute(),
    )
    connected = undefined
  }

  /**
   * Deletes gone executors of the same name, and those gone for long. An outside executor replaces only outside ones:
   * it must stay known that one has ever connected.
   */
  async function forgetGone(trx: Db, accountId: number, name: string, now: number): Promise<void> {
    await trx
      .deleteFrom('executor')
      .where('seen_at', '<=', now - goneAfterMs)
      .where((eb) => {
        const isOurs = eb.or([
          eb('name', '=', builtIn),
          eb('given_name', '=', builtIn),
          eb('given_name', 'like', `${builtInAt}%`),
        ])
        const isForgotten = eb('seen_at', '<=', now - forgottenAfterMs)
        return eb.or([
          eb.and([eb('account_id', '=', accountId), eb('given_name', '=', name)]),
          eb.and([isForgotten, isBuiltIn(name) ? isOurs : eb.not(isOurs)]),
        ])
      })
      .execute()
  }

  async function rememberLanguages(trx: Db, languages: readonly Language[], now: number): Promise<void> {
    await trx
      .deleteFrom('recent_language')
      .where('offered_at', '<=', now - awaitedMs)
      .execute()
    const values = [...new Set(languages.map(({ value }) => value))]
    if (values.length === 0) return
    await trx
      .insertInto('recent_language')
      .values(values.map((value) => ({ value, offered_at: now })))
      .onConflict((conflict) => conflict.column('value').doUpdateSet({ offered_at: now }))
      .execute()
  }

  const isPresent = (seenAt: number): boolean => seenAt > clock.now() - goneAfterMs

  async function read() {
    const rows = await store.db
      .selectFrom('executor')
      .select(['name', 'given_name', 'languages', 'parallel_runs', 'seen_at', 'features'])
      .orderBy('seen_at', 'desc')
      .limit(1000)
      .execute()
    return rows.map((row) => ({ ...row, languages: JSON.parse(row.languages) as Language[] }))
  }
  const readRecent = () => store.db.selectFrom('recent_language').select(['value', 'offered_at']).execute()

  return {
    /** Whether an executor that was last seen at this time counts as connected. */
    isPresent,

    /** Executors last seen before this time are no longer listed. */
    forgottenBefore: (): number => clock.now() - forgottenAfterMs,

    async register(actor: Actor, draft: ExecutorDraft): Promise<void> {
      requireAct(actor, 'registerExecutor')
      seen.set(actor.account.id, clock.now())
      await save(actor.account.id, draft)
    },

    async unregister(actor: Actor, one: ExecutorIdentity): Promise<void> {
      requireAct(actor, 'registerExecutor')
      await recordEnd(actor.account.id, one)
    },

    recordEnd,

    /** An executor that never registers becomes known by its claims. An admin who claims by hand is no executor. */
    async recordClaim(actor: Actor, features: FeatureSet): Promise<void> {
      requireAct(actor, 'claim')
      if (!isWorker(actor)) return
      const { id } = actor.account
      if ((seen.get(id) ?? 0) > clock.now() - seenWriteMs) return
      seen.set(id, clock.now())
      await runAs('judging', async () => {
        const known = await store.db
          .selectFrom('executor')
          .select('name')
          .where('account_id', '=', id)
          .where('name', '!=', '')
          .limit(1)
          .executeTakeFirst()
        if (!known) await save(id, { name: '', languages: [], parallelRuns: 1, features })
      })
    },

    /**
     * The languages and features that connected executors offer or recently offered, and their total number of slots.
     */
    async readConnected(): Promise<Connected> {
      if (connected && Math.abs(clock.now() - connected.at) < connectedCacheMs) return connected
      const present = (await read()).filter((row) => isPresent(row.seen_at))
      const recent = (await readRecent()).filter((row) => row.offered_at > clock.now() - awaitedMs)
      const offered = present.flatMap((row) => row.languages)
      const languages = new Set([...offered, ...recent].map(({ value }) => value))
      connected = {
        at: clock.now(),
        languages,
        slots: present.every(({ name }) => name !== '') ? present.reduce((sum, row) => sum + row.parallel_runs, 0) : 0,
        features: present.map((row) => row.features),
      }
      return connected
    },

    /**
     * The languages of the connected executors; if none is connected, those offered last; before the first connection,
     * the built-in ones.
     */
    async describe(): Promise<{ isDistributed: boolean; languages: readonly Language[] }> {
      const all = await read()
      const isDistributed = all.some((row) => !isBuiltIn(row.given_name || row.name))
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
