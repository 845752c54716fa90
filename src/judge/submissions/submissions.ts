/** Submissions: create, read, list, delete. The queue is the table itself: see judging/queue.ts. */
import { type Actor, isAdmin, type SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isForeignKeyViolation, type Store } from '../../store/store.ts'
import {
  demandOwnSubmission,
  isWorker,
  mayDeleteWhileExecuting,
  maySeeContent,
  maySeeProblem,
  ownsProblem,
  requireAct,
  requireReader,
} from '../access.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import type { ShownSubmissions } from '../contest-access/shown-submissions.ts'
import type { ProblemRef, Problems } from '../problems/problems.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import type { FinishedSubmissions } from './finished-submissions.ts'
import { makeSheetRules } from './sheet-rules.ts'
import { executing, finished, noResult, submitted } from './status.ts'
import { countingLock, type SubmissionCounts, type Viewer } from './submission-counts.ts'
import type { SubmissionEventPublisher } from './submission-events.ts'
import type { SubmissionLists } from './submission-lists.ts'
import { makeSubmissionQueries } from './submission-queries.ts'
import { hasExpired, type Submission, type SubmissionSnippet, toSnippet, toText } from './submission-row.ts'
import { countless, makeTurns } from './turns.ts'

type Draft = { readonly content: string | Uint8Array; readonly language: string }
export type SubmissionDraft = { readonly problemUuid: string; readonly content: string; readonly language: string }

export type CreateOptions = {
  /** When the server received it, if earlier than now. */
  readonly receivedAt?: number
  /** Runs in the write that creates it, with the locks that it needs. */
  within?(trx: Db, id: number): Promise<void>
  readonly locks?: readonly string[]
}

type Needs = {
  store: Store
  clock: Clock
  switches: Switches
  problems: Problems
  counts: SubmissionCounts
  lists: SubmissionLists
  events: SubmissionEventPublisher
  /** How many submissions of one account may wait at a time. */
  quota: number
  demandKnownAccount(id: number): Promise<void>
  returnExpired(): Promise<void>
  sheetAccess: SheetAccess
  contestAccess: Pick<ContestAccess, 'findRunning' | 'opensTo'>
  shownSubmissions: ShownSubmissions
  finishedSubmissions: Pick<FinishedSubmissions, 'tellDeletion'>
}

export type Submissions = ReturnType<typeof makeSubmissions>

export function makeSubmissions(needs: Needs) {
  const {
    store,
    clock,
    switches,
    problems,
    counts,
    lists,
    events,
    quota,
    demandKnownAccount,
    returnExpired,
    sheetAccess,
    contestAccess,
    shownSubmissions,
    finishedSubmissions,
  } = needs
  const queries = makeSubmissionQueries(store)
  const turns = makeTurns(store)
  const sheetRules = makeSheetRules({ store, sheetAccess, lockAuthor: queries.lockAuthor })

  async function findCurrent(id: number) {
    const row = await queries.demand(id)
    if (!hasExpired(row, clock.now())) return row
    await returnExpired()
    return queries.demand(id)
  }

  /** The contest decides about a contest's submission. */
  async function isShown(actor: SignedIn, submission: SubmissionSnippet): Promise<boolean> {
    const { author, problem } = submission
    if (submission.contestId !== null && !isWorker(actor))
      return (await shownSubmissions.exposureOf(actor, submission)) !== 'nothing'
    const isThere = maySeeProblem(actor, problem) || (await sheetAccess.opensTo(actor, problem))
    if (isWorker(actor)) return isThere
    if (author.id === actor.account.id) return isThere || sheetAccess.countedBeforeLeaving(submission.id)
    if (await sheetAccess.teaches(actor, submission)) return true
    return isThere && !(await sheetAccess.hidesFrom(actor, problem))
  }

  /** Content, report and points are for the author, the problem's owners, and the author's teachers. */
  async function maySeeWork(actor: SignedIn, submission: SubmissionSnippet): Promise<boolean> {
    if (submission.contestId === null || isWorker(actor))
      return maySeeContent(actor, submission) || (await sheetAccess.teaches(actor, submission))
    const exposure = await shownSubmissions.exposureOf(actor, submission)
    return exposure === 'work' || exposure === 'all'
  }

  async function show(
    actor: SignedIn,
    { total, items: found }: Page<SubmissionSnippet>,
  ): Promise<Page<SubmissionSnippet>> {
    const items = await shownSubmissions.mask(actor, found)
    const taught = await sheetAccess.listTaught(actor, items)
    const isWhole = (item: SubmissionSnippet) =>
      item.contestId !== null || maySeeContent(actor, item) || taught.has(item.id)
    return { total, items: items.map((item) => (isWhole(item) ? item : { ...item, score: null })) }
  }

  /** Undefined for readers of the common lists. */
  const findViewer = async (actor: SignedIn): Promise<Viewer | undefined> =>
    (await sheetAccess.changesLists(actor)) || (!isAdmin(actor) && (await shownSubmissions.opensAny(actor)))
      ? { accountId: actor.account.id, now: clock.now() }
      : undefined
  const findHiddenFrom = async (actor: SignedIn): Promise<number | undefined> =>
    (await shownSubmissions.hidesAny(actor)) ? actor.account.id : undefined

  /** If a problem's submissions are hidden from the actor, the list has only their own. */
  async function listTo(actor: SignedIn, authorId: number, problem: ProblemRef, page: PageRequest) {
    const isHidden = authorId !== actor.account.id && (await sheetAccess.hidesFrom(actor, problem))
    if (isHidden && authorId !== 0) return { total: 0, items: [] }
    const shownAuthor = isHidden ? actor.account.id : authorId
    const list = { authorId: shownAuthor, problemId: problem.id }
    return show(actor, await lists.read(list, page, undefined, await findHiddenFrom(actor)))
  }

  /** A submission to a problem that the actor may not see does not exist for them. */
  async function findShown(actor: SignedIn, id: number) {
    const row = await findCurrent(id)
    demand(await isShown(actor, toSnippet(row)), 'not-found', 'submission-unknown', `There is no submission ${id}.`)
    return row
  }

  /**
   * Returns how many wait. The quota is exact even with many concurrent submissions: near it, a lock serializes those
   * of one account.
   */
  async function demandQuota(trx: Db, authorId: number): Promise<number> {
    if (quota === Number.POSITIVE_INFINITY) return countless
    let [waiting] = await queries.countWaiting({ authorId, most: quota }, trx)
    if (waiting!.count >= quota - nearQuota) {
      await queries.lockAuthor(trx, authorId)
      ;[waiting] = await queries.countWaiting({ authorId, most: quota }, trx)
    }
    if (waiting!.count < quota) return waiting!.count
    const message = `You have ${quota} submissions waiting: hand in more once some are judged.`
    throw new Failure('limited', 'too-many-waiting', message)
  }

  async function insert(
    trx: Db,
    author: { id: number },
    problemId: number,
    draft: Draft,
    now: number,
    contest?: number,
  ) {
    const waiting = contest === undefined ? await demandQuota(trx, author.id) : countless
    const turn = await turns.take(trx, { authorId: author.id, isRejudged: 0, count: 1, waiting })
    const { language, content } = draft
    const wish = { problemId, authorId: author.id, language, turn, createdAt: now, contestId: contest ?? null }
    const [row] = await queries.insert(wish, trx)
    await queries.insertSource({ id: row!.id, content: Buffer.from(content) }, trx)
    return row!.id
  }

  /** Finds a problem to which the actor may submit, as far as role, switch and visibility decide. */
  async function findOpen(actor: Actor, uuid: string): Promise<ProblemRef> {
    requireAct(actor, 'submit')
    await switches.demandSubmissionCreation()
    return problems.find(actor, uuid)
  }

  type Wish = { readonly problem: ProblemRef; readonly language: string; readonly now: number }

  /** Refuses submissions that the sheets of the actor's classes do not accept. */
  const demandTaken = (trx: Db, actor: SignedIn, wish: Wish) =>
    sheetRules.demand(
      trx,
      { ...wish, authorId: actor.account.id },
      !wish.problem.isHeld || ownsProblem(actor, wish.problem),
    )

  return {
    findOpen,

    /** The same for a trial. A contest accepts it for every problem that it opens. */
    async demandRunnable(trx: Db, actor: SignedIn, wish: Wish): Promise<void> {
      const isOfContest = wish.problem.isHeld
        ? await contestAccess.opensTo(actor, wish.problem)
        : (await contestAccess.findRunning(actor, wish.problem)) !== undefined
      if (!isOfContest) await demandTaken(trx, actor, wish)
    },

    /** Must run in the transaction of its contest, which has made all other checks. */
    insertForContest: (
      trx: Db,
      author: { id: number },
      problemId: number,
      draft: Draft,
      contestId: number,
      at: number,
    ) => insert(trx, author, problemId, draft, at, contestId),

    /** To be called after the transaction that inserted it has committed. */
    announce(id: number): void {
      counts.noteNew(id)
      events.publishWaiting()
    },

    /** The submission as shown to its author. */
    async present(actor: SignedIn, id: number): Promise<SubmissionSnippet> {
      const [snippet] = await shownSubmissions.mask(actor, [toSnippet(await queries.demand(id))])
      demand(snippet, 'not-found', 'submission-unknown', `There is no submission ${id}.`)
      return snippet
    },

    async create(
      actor: Actor,
      draft: SubmissionDraft,
      { receivedAt, within, locks = [] }: CreateOptions = {},
    ): Promise<SubmissionSnippet> {
      requireAct(actor, 'submit')
      const problem = await findOpen(actor, draft.problemUuid)
      const running = await contestAccess.findRunning(actor, problem)
      const instead = `The contest ${running?.publicId} has this problem: hand in there (create_contest_submission).`
      demand(!running, 'precondition', 'in-contest', instead)
      const { account: author } = actor
      const now = receivedAt ?? clock.now()
      const id = await store
        .write(
          async (trx) => {
            await demandTaken(trx, actor, { problem, language: draft.language, now })
            const made = await insert(trx, author, problem.id, draft, now)
            await within?.(trx, made)
            return made
          },
          { sharedLocks: [countingLock], locks },
        )
        .catch((error) => {
          if (!isForeignKeyViolation(error)) throw error
          throw new Failure('not-found', 'problem-unknown', `There is no problem ${draft.problemUuid}.`)
        })
      counts.noteNew(id)
      events.publishWaiting()
      return {
        id,
        problem,
        author,
        language: draft.language,
        status: submitted,
        result: noResult,
        createdAt: new Date(now),
        finishedAt: undefined,
        cpuMs: undefined,
        memoryBytes: undefined,
        score: null,
        maximumScore: null,
        contestId: null,
      }
    },

    /** Content is empty for readers who may not see it. */
    async get(actor: Actor, id: number): Promise<Submission> {
      requireReader(actor)
      const row = await findShown(actor, id)
      const [snippet] = await shownSubmissions.mask(actor, [toSnippet(row)])
      demand(snippet, 'not-found', 'submission-unknown', `There is no submission ${id}.`)
      if (await maySeeWork(actor, snippet)) return { ...snippet, content: toText(row.content) }
      return { ...snippet, score: null, content: '' }
    },

    async list(actor: Actor, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireReader(actor)
      const [viewer, hiddenFrom] = [await findViewer(actor), await findHiddenFrom(actor)]
      return show(actor, await lists.read({ authorId: 0, problemId: 0 }, page, viewer, hiddenFrom))
    },

    async listOfAccount(actor: Actor, accountId: number, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireReader(actor)
      await demandKnownAccount(accountId)
      const [viewer, hiddenFrom] = [await findViewer(actor), await findHiddenFrom(actor)]
      return show(actor, await lists.read({ authorId: accountId, problemId: 0 }, page, viewer, hiddenFrom))
    },

    async listToProblem(actor: Actor, uuid: string, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireReader(actor)
      const problem = await problems.findListed(actor, uuid)
      return listTo(actor, 0, problem, page)
    },

    async listOfAccountToProblem(actor: Actor, accountId: number, uuid: string, page: PageRequest) {
      requireReader(actor)
      await demandKnownAccount(accountId)
      const problem = await problems.findListed(actor, uuid)
      return listTo(actor, accountId, problem, page)
    },

    /** Whether the actor may delete it, now or once it is judged. */
    async mayDelete(actor: Actor, { id, author, problem, contestId, createdAt }: SubmissionSnippet): Promise<boolean> {
      requireReader(actor)
      if (mayDeleteWhileExecuting(actor)) return true
      if (isWorker(actor)) return false
      if (author.id !== actor.account.id || contestId !== null) return false
      const counting = { id, authorId: author.id, problemId: problem.id, createdAt: createdAt.getTime() }
      return !(await sheetRules.counts(store.db, counting))
    },

    async delete(actor: Actor, id: number): Promise<void> {
      requireAct(actor, 'deleteSubmission')
      demandOwnSubmission(actor, (await findShown(actor, id)).account_id)
      const mayInterrupt = mayDeleteWhileExecuting(actor)
      const { contest_id: contestId } = await queries.demand(id)
      const stays = 'It belongs to a contest: ask its jury to ignore it.'
      demand(contestId === null || mayInterrupt, 'precondition', 'in-contest', stays)
      const problem = await store.write(
        async (trx) => {
          const row = await queries.demand(id, trx)
          const { status, account_id, problem_id } = row
          const counting = { id, authorId: account_id, problemId: problem_id, createdAt: row.created_at }
          const isCounted = await sheetRules.counts(trx, counting)
          const message = 'It counts in a sheet of your class: ask a teacher to have it deleted.'
          demand(mayInterrupt || !isCounted, 'precondition', 'counts-in-sheet', message)
          const isFree = mayInterrupt || status !== executing
          demand(isFree, 'precondition', 'executing', 'It is being judged: wait until it is finished, then delete it.')
          await counts.forget(trx, { id, authorId: account_id, problemId: problem_id })
          const afterwards = await finishedSubmissions.tellDeletion(trx, row)
          const gone = trx.deleteFrom('submission').where('id', '=', id)
          const { numDeletedRows } = await (mayInterrupt
            ? gone
            : gone.where('status', '!=', executing)
          ).executeTakeFirstOrThrow()
          demand(
            numDeletedRows > 0n,
            'precondition',
            'executing',
            'It is being judged: wait until it is finished, then delete it.',
          )
          await afterwards()
          return { ...toSnippet(row).problem, submitterId: account_id }
        },
        { locks: [countingLock] },
      )
      events.publishDeleted([id], problem)
    },

    maySeeWork,

    async isFinished(actor: Actor, id: number): Promise<boolean> {
      requireReader(actor)
      const [shown] = await shownSubmissions.mask(actor, [toSnippet(await findShown(actor, id))])
      return shown?.status === finished
    },
  }
}

/** Fewer than 100 transactions can run between a count and its insert, since no server has more connections. */
const nearQuota = 100
