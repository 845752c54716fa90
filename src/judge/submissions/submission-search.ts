/**
 * Submissions by language, status and result, newest first. What fits may be rare, so a call looks at some thousand and says
 * where to go on: no filter makes the server read all there is.
 */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import type { Store } from '../../store/store.ts'
import { mayFindEveryProblem, requireReader } from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import { hasExpired, hideScore, type SubmissionSnippet, snippetColumns, toSnippet } from './submission-row.ts'

export type SubmissionFilter = {
  readonly accountId?: number
  readonly problemUuid?: string
  readonly language?: string
  readonly status?: number
  readonly result?: number
  /** Only those with lower ids. */
  readonly beforeId?: number
}

/** `nextBeforeId`: where to go on; undefined where that was all. */
export type FoundSubmissions = {
  readonly items: readonly SubmissionSnippet[]
  readonly nextBeforeId: number | undefined
}

export const mostLookedAt = 5_000

type Needs = {
  store: Store
  clock: Clock
  problems: Problems
  demandKnownAccount(id: number): Promise<void>
  returnExpired(): Promise<void>
}

export type SubmissionSearch = ReturnType<typeof makeSubmissionSearch>

export function makeSubmissionSearch({ store: { db }, clock, problems, demandKnownAccount, returnExpired }: Needs) {
  async function read(actor: SignedIn, filter: SubmissionFilter, problemId: number | undefined, limit: number) {
    const { accountId, language, status, result, beforeId } = filter
    const keeperId = actor.account.role === 'problem_setter' ? actor.account.id : 0
    /** In an index by author, problem or id. */
    const looked = db
      .selectFrom('submission')
      .select('id as looked_id')
      .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId!))
      .$if(accountId !== undefined, (query) => query.where('author_id', '=', accountId!))
      .$if(problemId !== undefined, (query) => query.where('problem_id', '=', problemId!))
      .orderBy('id', 'desc')
    const rows = await db
      .selectFrom(looked.limit(mostLookedAt).as('looked'))
      .innerJoin('submission', 'submission.id', 'looked_id')
      .innerJoin('account', 'account.id', 'submission.author_id')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(snippetColumns)
      .$if(!mayFindEveryProblem(actor), (query) =>
        query.where((eb) => eb.or([eb('problem.is_held', '=', 0), eb('problem.author_id', '=', keeperId)])),
      )
      .$if(language !== undefined, (query) => query.where('submission.language', '=', language!))
      .$if(status !== undefined, (query) => query.where('submission.status', '=', status!))
      .$if(result !== undefined, (query) => query.where('submission.result', '=', result!))
      .orderBy('submission.id', 'desc')
      .limit(limit)
      .execute()
    const last = await looked
      .offset(mostLookedAt - 1)
      .limit(1)
      .executeTakeFirst()
    return { rows, lastLookedAt: last?.looked_id }
  }

  return {
    async find(actor: Actor, filter: SubmissionFilter, limit: number): Promise<FoundSubmissions> {
      requireReader(actor)
      if (filter.accountId !== undefined) await demandKnownAccount(filter.accountId)
      const problem =
        filter.problemUuid === undefined ? undefined : await problems.findListed(actor, filter.problemUuid)
      let found = await read(actor, filter, problem?.id, limit)
      if (found.rows.some((row) => hasExpired(row, clock.now()))) {
        await returnExpired()
        found = await read(actor, filter, problem?.id, limit)
      }
      const isFull = found.rows.length === limit
      const items = found.rows.map((row) => hideScore(actor, toSnippet(row)))
      return { items, nextBeforeId: isFull ? found.rows.at(-1)!.id : found.lastLookedAt }
    },
  }
}
