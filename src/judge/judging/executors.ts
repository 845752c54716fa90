/** The executors that were seen: who they are and which languages they offer. */
import { type Actor, requireRole, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import { builtInLanguages, type Language } from './built-in-languages.ts'

export type ExecutorDraft = {
  readonly name: string
  readonly languages: readonly Language[]
  readonly parallelRuns: number
}

/** The one that the server itself runs. */
export const builtInExecutor = 'built-in'

/** One unseen for longer counts as gone; they call every minute. */
const goneAfterMs = 3 * 60_000
const recentMs = 60_000
/** What the claim asks each time is asked of the database so often at most. */
const freshMs = 1_000

export type Executors = ReturnType<typeof makeExecutors>

export function makeExecutors({ store, clock }: { store: Store; clock: Clock }) {
  const seen = new Map<number, number>()
  let offered: { readonly at: number; readonly languages: ReadonlySet<string> } | undefined

  async function save(accountId: number, { name, languages, parallelRuns }: ExecutorDraft): Promise<void> {
    const now = clock.now()
    const state = { languages: JSON.stringify(languages), parallel_runs: parallelRuns, seen_at: now }
    await store.write((trx) =>
      trx
        .insertInto('executor')
        .values({ account_id: accountId, name, first_seen_at: now, ...state })
        .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(state))
        .execute(),
    )
    offered = undefined
  }

  const isHere = (seenAt: number): boolean => seenAt > clock.now() - goneAfterMs

  async function read() {
    const rows = await store.db
      .selectFrom('executor')
      .select(['account_id', 'name', 'languages', 'seen_at'])
      .orderBy('seen_at', 'desc')
      .limit(1000)
      .execute()
    return rows.map((row) => ({ ...row, languages: JSON.parse(row.languages) as Language[] }))
  }

  return {
    async register(actor: Actor, draft: ExecutorDraft): Promise<void> {
      requireRole(actor, ['worker', 'admin'], 'offer to judge')
      seen.set(actor.account.id, clock.now())
      await save(actor.account.id, draft)
    },

    /** An executor that knows only how to claim is one that has connected, too. */
    async noteClaim(actor: SignedIn): Promise<void> {
      const { id } = actor.account
      if ((seen.get(id) ?? 0) > clock.now() - recentMs) return
      seen.set(id, clock.now())
      const known = await store.db
        .selectFrom('executor')
        .select('name')
        .where('account_id', '=', id)
        .where('name', '!=', '')
        .limit(1)
        .executeTakeFirst()
      if (!known) await save(id, { name: '', languages: [], parallelRuns: 1 })
    },

    /** Languages that an executor which is there offers. */
    async offeredLanguages(): Promise<ReadonlySet<string>> {
      if (offered && Math.abs(clock.now() - offered.at) < freshMs) return offered.languages
      const here = (await read()).filter((row) => isHere(row.seen_at))
      const languages = new Set(here.flatMap((row) => row.languages.map(({ value }) => value)))
      offered = { at: clock.now(), languages }
      return languages
    },

    /** What those offer who are there; where none is, what was offered last, and before the first the built-in table. */
    async describe(): Promise<{ isDistributed: boolean; languages: readonly Language[] }> {
      const all = await read()
      const isDistributed = all.some((row) => row.name !== builtInExecutor)
      const here = all.filter((row) => isHere(row.seen_at))
      const languages = new Map<string, Language>()
      for (const row of here.length > 0 ? here : all) {
        for (const language of row.languages)
          if (!languages.has(language.value)) languages.set(language.value, language)
      }
      const isOffered = languages.size > 0
      return { isDistributed, languages: isOffered ? [...languages.values()] : builtInLanguages }
    },
  }
}
