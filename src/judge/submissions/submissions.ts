/** Submissions: create, read, list, delete. The queue is the table itself: see judging/queue.ts. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Clock } from '../../base/clock.ts'
import { demand, Failure } from '../../base/failure.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isForeignKeyViolation, type Store } from '../../store/store.ts'
import {
  demandOwnSubmission,
  mayDeleteWhileExecuting,
  maySeeContent,
  maySeeProblem,
  requireAct,
  requireReader,
} from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import { executing, finished, noResult, submitted } from './status.ts'
import { countingLock, type SubmissionCounts } from './submission-counts.ts'
import type { SubmissionEventPublisher } from './submission-events.ts'
import type { SubmissionLists } from './submission-lists.ts'
import { makeSubmissionQueries } from './submission-queries.ts'
import { hasExpired, hideScore, type Submission, type SubmissionSnippet, toSnippet, toText } from './submission-row.ts'
import { countless, makeTurns } from './turns.ts'

export type SubmissionDraft = { readonly problemUuid: string; readonly content: string; readonly language: string }

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
}

export type Submissions = ReturnType<typeof makeSubmissions>

export function makeSubmissions(needs: Needs) {
  const { store, clock, switches, problems, counts, lists, events, quota, demandKnownAccount, returnExpired } = needs
  const queries = makeSubmissionQueries(store)
  const turns = makeTurns(store)

  async function findCurrent(id: number) {
    const row = await queries.demand(id)
    if (!hasExpired(row, clock.now())) return row
    await returnExpired()
    return queries.demand(id)
  }

  /** One to a problem that the actor may not see is not there. */
  async function findShown(actor: SignedIn, id: number) {
    const row = await findCurrent(id)
    const { problem } = toSnippet(row)
    demand(maySeeProblem(actor, problem), 'not-found', 'submission-unknown', `There is no submission ${id}.`)
    return row
  }

  /**
   * Answers how many wait. The quota is exact however many submissions arrive at once: close to it, those of one account are
   * serialized by a lock.
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

  async function insert(trx: Db, author: { id: number }, problemId: number, draft: SubmissionDraft, now: number) {
    const waiting = await demandQuota(trx, author.id)
    const turn = await turns.take(trx, { authorId: author.id, isRejudged: 0, count: 1, waiting })
    const { language, content } = draft
    const [row] = await queries.insert({ problemId, authorId: author.id, language, turn, createdAt: now }, trx)
    await queries.insertSource({ id: row!.id, content: Buffer.from(content) }, trx)
    return row!.id
  }

  return {
    async create(actor: Actor, draft: SubmissionDraft): Promise<SubmissionSnippet> {
      requireAct(actor, 'submit')
      await switches.demandSubmissionCreation()
      const problem = await problems.find(actor, draft.problemUuid)
      const { account: author } = actor
      const now = clock.now()
      const id = await store
        .write((trx) => insert(trx, author, problem.id, draft, now), { sharing: [countingLock] })
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
      }
    },

    /** Content is empty for those who may not see it. */
    async get(actor: Actor, id: number): Promise<Submission> {
      requireReader(actor)
      const row = await findShown(actor, id)
      const snippet = hideScore(actor, toSnippet(row))
      return { ...snippet, content: maySeeContent(actor, snippet) ? toText(row.content) : '' }
    },

    async list(actor: Actor, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireReader(actor)
      return show(actor, await lists.read({ authorId: 0, problemId: 0 }, page))
    },

    async listOfAccount(actor: Actor, accountId: number, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireReader(actor)
      await demandKnownAccount(accountId)
      return show(actor, await lists.read({ authorId: accountId, problemId: 0 }, page))
    },

    async listToProblem(actor: Actor, uuid: string, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireReader(actor)
      const problem = await problems.findListed(actor, uuid)
      return show(actor, await lists.read({ authorId: 0, problemId: problem.id }, page))
    },

    async listOfAccountToProblem(actor: Actor, accountId: number, uuid: string, page: PageRequest) {
      requireReader(actor)
      await demandKnownAccount(accountId)
      const problem = await problems.findListed(actor, uuid)
      return show(actor, await lists.read({ authorId: accountId, problemId: problem.id }, page))
    },

    async delete(actor: Actor, id: number): Promise<void> {
      requireAct(actor, 'deleteSubmission')
      demandOwnSubmission(actor, (await findShown(actor, id)).account_id)
      const mayInterrupt = mayDeleteWhileExecuting(actor)
      const problem = await store.write(
        async (trx) => {
          const row = await queries.demand(id, trx)
          const { status, account_id, problem_id } = row
          const isFree = mayInterrupt || status !== executing
          demand(isFree, 'precondition', 'executing', 'It is being judged: delete it once it is finished.')
          await counts.forget(trx, { id, authorId: account_id, problemId: problem_id })
          const gone = trx.deleteFrom('submission').where('id', '=', id)
          const { numDeletedRows } = await (mayInterrupt
            ? gone
            : gone.where('status', '!=', executing)
          ).executeTakeFirstOrThrow()
          demand(numDeletedRows > 0n, 'precondition', 'executing', 'It is being judged: delete it once it is finished.')
          return toSnippet(row).problem
        },
        { alone: [countingLock] },
      )
      events.publishDeleted([id], problem)
    },

    async isFinished(actor: Actor, id: number): Promise<boolean> {
      requireReader(actor)
      return (await findShown(actor, id)).status === finished
    },
  }
}

const show = (actor: SignedIn, { total, items }: Page<SubmissionSnippet>): Page<SubmissionSnippet> => ({
  total,
  items: items.map((item) => hideScore(actor, item)),
})

/** Fewer than 100 transactions can run between one's count and its insert, since no server has so many connections. */
const nearQuota = 100
