/** Submissions: handed in, read, listed, deleted. The queue is the table itself: see judging/queue.ts. */
import { type Actor, isAdmin, may, requireRole, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Clock } from '../../base/clock.ts'
import { demand, Failure } from '../../base/failure.ts'
import type { Page, PageRequest } from '../../base/page.ts'
import { memoizeRead } from '../../store/read-memo.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isForeignKeyViolation, type Store } from '../../store/store.ts'
import { isKeeper, type Problems } from '../problems/problems.ts'
import { executing, finished, noResult, submitted } from './status.ts'
import { countingLock, type SubmissionCounts } from './submission-counts.ts'
import type { SubmissionEventPublisher } from './submission-events.ts'
import type { SubmissionLists } from './submission-lists.ts'
import { makeSubmissionQueries } from './submission-queries.ts'
import { hasExpired, type Submission, type SubmissionSnippet, toSnippet, toText } from './submission-row.ts'

export type SubmissionDraft = { readonly problemUuid: string; readonly content: string; readonly language: string }

type Needs = {
  store: Store
  clock: Clock
  switches: Switches
  problems: Problems
  counts: SubmissionCounts
  lists: SubmissionLists
  events: SubmissionEventPublisher
  /** How many may wait at a time for one account. */
  quota: number
  demandKnownAccount(id: number): Promise<void>
  returnExpired(): Promise<void>
}

export type Submissions = ReturnType<typeof makeSubmissions>

export function makeSubmissions(needs: Needs) {
  const { store, clock, switches, problems, counts, lists, events, quota, demandKnownAccount, returnExpired } = needs
  const queries = makeSubmissionQueries(store)

  const recall = memoizeRead(store, (id: number) => queries.demand(id), rememberedSources)

  async function findCurrent(id: number) {
    const row = await recall(id)
    if (!hasExpired(row, clock.now())) return row
    await returnExpired()
    return queries.demand(id)
  }

  /** Exact however many are handed in at once: close to the quota, an account's submissions take turns. */
  async function demandRoom(trx: Db, authorId: number): Promise<void> {
    if (quota === Number.POSITIVE_INFINITY) return
    let [waiting] = await queries.countWaiting({ authorId, most: quota }, trx)
    if (waiting!.count >= quota - crowd) {
      await queries.takeTurn(trx, authorId)
      ;[waiting] = await queries.countWaiting({ authorId, most: quota }, trx)
    }
    if (waiting!.count < quota) return
    const message = `You have ${quota} submissions waiting: hand in more once some are judged.`
    throw new Failure('limited', 'too-many-waiting', message)
  }

  async function insert(trx: Db, author: { id: number }, problemId: number, draft: SubmissionDraft, now: number) {
    await demandRoom(trx, author.id)
    const { language, content } = draft
    const [row] = await queries.insert({ problemId, authorId: author.id, language, createdAt: now }, trx)
    await queries.insertSource({ id: row!.id, content: Buffer.from(content) }, trx)
    return row!.id
  }

  return {
    async create(actor: Actor, draft: SubmissionDraft): Promise<SubmissionSnippet> {
      requireRole(actor, ['contestant', 'problem_setter', 'admin'], 'submit')
      await switches.demandSubmissionCreation()
      const problem = await problems.find(draft.problemUuid)
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
      }
    },

    /** Content is empty for those who may not see it. */
    async get(actor: Actor, id: number): Promise<Submission> {
      requireSignIn(actor)
      const row = await findCurrent(id)
      const snippet = toSnippet(row)
      return { ...snippet, content: maySeeContent(actor, snippet) ? toText(row.content) : '' }
    },

    async list(actor: Actor, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireSignIn(actor)
      return lists.read({ authorId: 0, problemId: 0 }, page)
    },

    async listOfAccount(actor: Actor, accountId: number, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireSignIn(actor)
      await demandKnownAccount(accountId)
      return lists.read({ authorId: accountId, problemId: 0 }, page)
    },

    async listToProblem(actor: Actor, uuid: string, page: PageRequest): Promise<Page<SubmissionSnippet>> {
      requireSignIn(actor)
      const problem = await problems.find(uuid)
      return lists.read({ authorId: 0, problemId: problem.id }, page)
    },

    async listOfAccountToProblem(actor: Actor, accountId: number, uuid: string, page: PageRequest) {
      requireSignIn(actor)
      await demandKnownAccount(accountId)
      const problem = await problems.find(uuid)
      return lists.read({ authorId: accountId, problemId: problem.id }, page)
    },

    async delete(actor: Actor, id: number): Promise<void> {
      requireRole(actor, ['contestant', 'problem_setter', 'admin'], 'delete submissions')
      const isOwn = (await findCurrent(id)).account_id === actor.account.id
      demand(isOwn || isAdmin(actor), 'forbidden', 'not-yours', 'You may delete only your own submissions.')
      await store.write(
        async (trx) => {
          const { status, account_id, problem_id } = await queries.demand(id, trx)
          const isFree = isAdmin(actor) || status !== executing
          demand(isFree, 'precondition', 'executing', 'It is being judged: delete it once it is finished.')
          await counts.forget(trx, { id, authorId: account_id, problemId: problem_id })
          const gone = trx.deleteFrom('submission').where('id', '=', id)
          const { numDeletedRows } = await (isAdmin(actor)
            ? gone
            : gone.where('status', '!=', executing)
          ).executeTakeFirstOrThrow()
          demand(numDeletedRows > 0n, 'precondition', 'executing', 'It is being judged: delete it once it is finished.')
        },
        { alone: [countingLock] },
      )
      events.publishFinished(id)
    },

    isFinished: async (id: number): Promise<boolean> => (await findCurrent(id)).status === finished,
  }
}

/** Fewer than these can't be handed in between one's look and one's turn: no house has so many connections. */
const crowd = 100
/** Each may be 64 kB. */
const rememberedSources = 200

export const maySeeContent = (actor: SignedIn, { author, problem }: SubmissionSnippet): boolean =>
  author.id === actor.account.id || may(actor, ['worker']) || isKeeper(actor, problem)
