/**
 * Submissions by language, status and result, newest first. Matches may be rare, so a call examines some thousand rows
 * and returns where to continue: no filter makes the server scan everything.
 */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { mayFindEveryProblem, maySeeContent, requireReader } from '../access.ts'
import { inHiddenSubmissions, type ShownSubmissions } from '../contest-access/shown-submissions.ts'
import type { Problems } from '../problems/problems.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import { isShownTo } from './submission-counts.ts'
import { hasExpired, type SubmissionSnippet, snippetColumns, toSnippet } from './submission-row.ts'

export type SubmissionFilter = {
  readonly accountId?: number
  readonly problemUuid?: string
  readonly language?: string
  readonly status?: number
  readonly result?: number
  readonly contestId?: string
  readonly teamId?: string
  /** Only those with lower ids than this. */
  readonly beforeId?: number
}

/** `nextBeforeId`: where to continue; undefined at the end. */
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
  sheetAccess: Pick<SheetAccess, 'changesLists' | 'listTaught'>
  shownSubmissions: ShownSubmissions
  findContest(actor: SignedIn, publicId: string): Promise<{ id: number }>
}

export type SubmissionSearch = ReturnType<typeof makeSubmissionSearch>

export function makeSubmissionSearch(needs: Needs) {
  const { clock, problems, demandKnownAccount, returnExpired, sheetAccess, shownSubmissions, findContest } = needs
  const { db } = needs.store

  type Chosen = { problemId: number | undefined; contestId: number | undefined }

  async function read(actor: SignedIn, filter: SubmissionFilter, { problemId, contestId }: Chosen, limit: number) {
    const { accountId, language, status, result, beforeId, teamId } = filter
    const isViewer = (await sheetAccess.changesLists(actor)) || (await shownSubmissions.opensAny(actor))
    const hidesTeams = await shownSubmissions.hidesAny(actor)
    /** A contest may show another status and result than the stored ones. */
    const isMasked = status !== undefined || result !== undefined
    const viewer = isViewer ? { accountId: actor.account.id, now: clock.now() } : undefined
    const keeperId = actor.account.role === 'problem_setter' ? actor.account.id : 0
    /** Candidates, from an index by author, problem or id. */
    const looked = db
      .selectFrom('submission')
      .select('id as looked_id')
      .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId!))
      .$if(accountId !== undefined, (query) => query.where('author_id', '=', accountId!))
      .$if(problemId !== undefined, (query) => query.where('problem_id', '=', problemId!))
      .$if(contestId !== undefined, (query) => query.where('contest_id', '=', contestId!))
      .orderBy('id', 'desc')
    const rows = await db
      .selectFrom(looked.limit(mostLookedAt).as('looked'))
      .innerJoin('submission', 'submission.id', 'looked_id')
      .innerJoin('account', 'account.id', 'submission.author_id')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(snippetColumns)
      .$if(hidesTeams, (query) => query.where((eb) => eb.not(inHiddenSubmissions(db, actor.account.id))))
      .$if(contestId === undefined && viewer !== undefined, (query) =>
        query.where((eb) => eb.or([isShownTo(db, viewer!), eb('problem.author_id', '=', keeperId)])),
      )
      .$if(contestId === undefined && viewer === undefined && !mayFindEveryProblem(actor), (query) =>
        query.where((eb) => eb.or([eb('problem.is_held', '=', 0), eb('problem.author_id', '=', keeperId)])),
      )
      .$if(language !== undefined, (query) => query.where('submission.language', '=', language!))
      .$if(teamId !== undefined, (query) =>
        query
          .innerJoin('contest_submission', 'contest_submission.submission_id', 'submission.id')
          .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
          .where('contest_team.public_id', '=', teamId!),
      )
      .$if(status !== undefined, (query) =>
        query.where((eb) =>
          eb.or([eb('submission.status', '=', status!), eb('submission.contest_id', 'is not', null)]),
        ),
      )
      .$if(result !== undefined, (query) =>
        query.where((eb) =>
          eb.or([eb('submission.result', '=', result!), eb('submission.contest_id', 'is not', null)]),
        ),
      )
      .orderBy('submission.id', 'desc')
      .limit(isMasked ? mostLookedAt : limit)
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
      const contest = filter.contestId === undefined ? undefined : await findContest(actor, filter.contestId)
      const chosen = { problemId: problem?.id, contestId: contest?.id }
      let found = await read(actor, filter, chosen, limit)
      if (found.rows.some((row) => hasExpired(row, clock.now()))) {
        await returnExpired()
        found = await read(actor, filter, chosen, limit)
      }
      const fits = ({ status, result }: SubmissionSnippet) =>
        (filter.status === undefined || status === filter.status) &&
        (filter.result === undefined || result === filter.result)
      const shown = (await shownSubmissions.mask(actor, found.rows.map(toSnippet))).filter(fits)
      const isFull = shown.length >= limit
      const snippets = shown.slice(0, limit)
      const taught = await sheetAccess.listTaught(actor, snippets)
      const items = snippets.map((one) =>
        one.contestId !== null || maySeeContent(actor, one) || taught.has(one.id) ? one : { ...one, score: null },
      )
      return { items, nextBeforeId: isFull ? snippets.at(-1)!.id : found.lastLookedAt }
    },
  }
}
