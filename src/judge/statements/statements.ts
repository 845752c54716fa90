/** Statements as safe HTML: those of problems, and previews of drafts. */
import { LRUCache } from 'lru-cache'
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { networkOf } from '../../lib/network.ts'
import { programFile } from '../../lib/process/program-file.ts'
import { makeIdlePool } from '../../lib/scheduling/idle-pool.ts'
import { requireAct } from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import { escapeText } from './escape.ts'
import type { StatementTask } from './rendering.ts'

/** The slowest statement of 100,000 characters takes about a second in a new thread. */
const maxMs = 5_000
/** At a contest's start all contestants open the same few problems. */
const cachedBytes = 2 * 1024 * 1024

/** The address of a problem's files. */
export const filesAddress = (uuid: string): string => `/-/judge/problems/${uuid}/files/`

export type Statements = ReturnType<typeof makeStatements>

export function makeStatements({ problems, log }: { problems: Problems; log: Log }) {
  const filename = programFile(import.meta.dirname, 'statement-worker.ts')
  const pool = makeIdlePool<StatementTask, string>({ filename, maxMs, what: 'statements to be rendered' })
  const rendered = new LRUCache<string, string, () => Promise<string>>({
    maxSize: cachedBytes,
    maxEntrySize: cachedBytes / 4,
    sizeCalculation: (html, key) => 2 * html.length + key.length + 1,
    fetchMethod: (_key, _stale, { context: make }) => make(),
    // A result is returned even if it has been evicted meanwhile.
    ignoreFetchAbort: true,
  })

  async function render(actor: Actor, text: string, uuid: string | undefined): Promise<string> {
    if (text.trim() === '') return ''
    try {
      const files = uuid && filesAddress(uuid)
      return await pool.run(String(actor.account?.id ?? networkOf(actor.address)), { text, files })
    } catch (error) {
      if (error instanceof Failure) throw error
      log.warn({ err: error }, 'a statement was not rendered and is shown as written')
      return `<pre>${escapeText(text)}</pre>`
    }
  }

  const renderOf = (actor: Actor, { uuid, description }: { uuid: string; description: string }): Promise<string> =>
    rendered.forceFetch(`${uuid} ${description}`, { context: () => render(actor, description, uuid) })

  return {
    get: async (actor: Actor, uuid: string): Promise<string> => renderOf(actor, await problems.get(actor, uuid)),
    /** For readers to whom a contest opens it, who may be anonymous. */
    getOpened: async (actor: Actor, uuid: string): Promise<string> => renderOf(actor, await problems.readOpened(uuid)),
    /** A text that the actor may read and that has no files. */
    renderText: (actor: Actor, text: string): Promise<string> =>
      rendered.forceFetch(` ${text}`, { context: () => render(actor, text, undefined) }),
    /** `uuid`: the problem whose pictures it shows, if it exists already. */
    async preview(actor: Actor, description: string, uuid?: string): Promise<string> {
      requireAct(actor, 'createProblem')
      return render(actor, description, uuid && (await problems.get(actor, uuid)).uuid)
    },
    close: () => pool.close(),
  }
}
