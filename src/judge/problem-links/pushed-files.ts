/**
 * Pushes of linked files: each file is submitted once in the name of the pusher, and the commit's status shows the
 * result.
 */

import type { Account } from '../../accounts/actor.ts'
import { actingFor } from '../../accounts/actor.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { Failure } from '../../lib/failure.ts'
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isForeignKeyViolation, isUniqueViolation, type Store } from '../../store/store.ts'
import { unpublishedName } from '../contest-access/shown-submissions.ts'
import type { Limits } from '../limits.ts'
import type { FinishedSubmissions } from '../submissions/finished-submissions.ts'
import { accepted, describeResult, finished, judgeFailure } from '../submissions/status.ts'
import type { Submissions } from '../submissions/submissions.ts'
import type { CodeHost, StatusNote } from './code-host.ts'

/** A branch that a push moved. All zeros stand for no commit. */
export type BranchMove = { readonly branch: string; readonly before: string; readonly after: string }

export type PushNote = {
  readonly pushId: number
  readonly repositoryId: number
  readonly pusherId: number
  readonly moves: readonly BranchMove[]
  readonly at: number
  findDefaultBranch(): Promise<string | undefined>
}

type Pushed = Omit<PushNote, 'findDefaultBranch'> & { readonly defaultBranch: string | undefined }

type Link = {
  readonly problemId: number
  readonly uuid: string
  readonly title: string
  readonly path: string
  readonly branch: string | null
  readonly language: string
}

type Needs = {
  store: Store
  jobs: Jobs
  submissions: Pick<Submissions, 'create'>
  finishedSubmissions: FinishedSubmissions
  host: CodeHost
  findAccount(id: number): Promise<Account | undefined>
  limits: Pick<Limits, 'pushedFiles' | 'sourceBytes'>
}

const pushedKind = 'judge.pushed-files'
const verdictKind = 'judge.pushed-verdicts'
/** Only an outage makes a job fail: it is retried, at the end every hour, for a month. */
const maxTries = 700
const noCommit = /^0+$/

export type PushedFiles = ReturnType<typeof makePushedFiles>

export function makePushedFiles(needs: Needs) {
  const { store, jobs, submissions, finishedSubmissions, host, findAccount, limits } = needs

  async function listLinks(db: Db, repositoryId: number, until: number): Promise<Link[]> {
    const rows = await db
      .selectFrom('problem_link')
      .innerJoin('problem', 'problem.id', 'problem_link.problem_id')
      .select(['problem.id as problemId', 'problem.uuid', 'problem.display_name', 'problem.is_held'])
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom('contest_problem')
              .select('contest_problem.id')
              .whereRef('contest_problem.problem_id', '=', 'problem.id'),
          )
          .as('isOfContest'),
      )
      .select(['problem_link.path', 'problem_link.branch', 'problem_link.language'])
      .where('problem_link.repository_id', '=', repositoryId)
      .where('problem_link.created_at', '<=', until)
      .orderBy('problem_link.id')
      .execute()
    // Hides the title if the contest may not have begun: all readers of the repository see it.
    return rows.map(({ display_name, is_held, isOfContest, ...link }) => ({
      ...link,
      title: is_held === 1 && isOfContest ? unpublishedName : display_name,
    }))
  }

  const isDone = async (pushId: number, problemId: number): Promise<boolean> =>
    (await store.db
      .selectFrom('pushed_file')
      .select('push_id')
      .where('push_id', '=', pushId)
      .where('problem_id', '=', problemId)
      .executeTakeFirst()) !== undefined

  type Place = { readonly pushed: Pushed; readonly link: Link; readonly sha: string; readonly context: string }

  const noteOf = ({ pushed, sha, context }: Place): Omit<StatusNote, 'state' | 'description' | 'address'> => ({
    repositoryId: pushed.repositoryId,
    sha,
    creatorId: pushed.pusherId,
    context,
  })

  const insertRow = (trx: Db, { pushed, link, sha, context }: Place, submissionId: number | null, told: string) =>
    trx
      .insertInto('pushed_file')
      .values({
        push_id: pushed.pushId,
        problem_id: link.problemId,
        repository_id: pushed.repositoryId,
        sha,
        pusher_id: pushed.pusherId,
        context,
        submission_id: submissionId,
        told,
      })
      .execute()

  const refuse = (place: Place, reason: string): Promise<unknown> =>
    store.write(
      async (trx) => {
        const description = shorten(reason)
        await insertRow(trx, place, null, description)
        await host.putStatus(trx, { ...noteOf(place), state: 'error', description, address: null })
      },
      { locks: [host.statusLock(place.pushed.repositoryId, place.sha)] },
    )

  /** The submission, its record and the commit's status are written together. */
  async function handIn(place: Place, pusher: Account, content: string): Promise<void> {
    const { pushed, link, sha } = place
    const draft = { problemUuid: link.uuid, content, language: link.language }
    await submissions.create(actingFor(pusher), draft, {
      receivedAt: pushed.at,
      locks: [host.statusLock(pushed.repositoryId, sha)],
      async within(trx, id) {
        const description = `Submission ${id} waits to be judged.`
        await insertRow(trx, place, id, description)
        await host.putStatus(trx, { ...noteOf(place), state: 'pending', description, address: addressOf(id) })
      },
    })
  }

  /**
   * The commit that a push is compared with. A new branch of a copy of a template is compared with the commit that the
   * copy began with: the template itself is nobody's work.
   */
  async function findBefore(repositoryId: number, before: string): Promise<string> {
    if (!noCommit.test(before)) return before
    const copy = await store.db
      .selectFrom('sheet_copy')
      .select('first_commit')
      .where('repository_id', '=', repositoryId)
      .limit(1)
      .executeTakeFirst()
    return copy?.first_commit ?? before
  }

  /** Returns whether the push changed the file. */
  async function follow(place: Place, before: string, isOneTooMany: boolean): Promise<boolean> {
    const { pushed, link, sha } = place
    const { repositoryId, pusherId: accountId } = pushed
    const mostBytes = limits.sourceBytes
    const move = {
      repositoryId,
      before: await findBefore(repositoryId, before),
      after: sha,
      path: link.path,
      mostBytes,
      accountId,
    }
    const file = await host.readMovedFile(move)
    if (file.kind === 'gone' || file.kind === 'unchanged') return false
    const pusher = await findAccount(accountId)
    if (!pusher) return false
    try {
      if (isOneTooMany)
        await refuse(place, `One push can submit at most ${limits.pushedFiles} files: push this one separately.`)
      else if (pusher.kind !== 'user') await refuse(place, 'Only people can submit: the push came from an app.')
      else if (file.kind === 'unusable') await refuse(place, file.reason)
      else await handIn(place, pusher, file.text)
    } catch (error) {
      // Another server has already submitted it.
      if (isUniqueViolation(error)) return true
      if (!(error instanceof Failure) || error.kind === 'unavailable') throw error
      await refuse(place, error.code === 'in-contest' ? inContest : error.message)
    }
    return true
  }

  jobs.define<Pushed>(
    pushedKind,
    async (pushed, { signal }) => {
      const links = await listLinks(store.db, pushed.repositoryId, pushed.at)
      const contexts = nameContexts(links)
      let count = 0
      for (const link of links) {
        const branch = link.branch ?? pushed.defaultBranch
        const move = pushed.moves.find((one) => one.branch === branch)
        if (!move || noCommit.test(move.after)) continue
        const place = { pushed, link, sha: move.after, context: contexts.get(link.problemId)! }
        const isChanged =
          (await isDone(pushed.pushId, link.problemId)) ||
          (await follow(place, move.before, count >= limits.pushedFiles).catch(unlessGone))
        if (isChanged) count++
        signal.throwIfAborted()
      }
    },
    { isStanding: true },
  )

  jobs.define<{ submissionId: number }>(
    verdictKind,
    ({ submissionId }) => tellVerdict(submissionId).catch(unlessGone),
    {
      isStanding: true,
    },
  )

  const findRow = (db: Db, submissionId: number) =>
    db.selectFrom('pushed_file').selectAll().where('submission_id', '=', submissionId).executeTakeFirst()

  /** A rejudged submission updates the status if its verdict changed. */
  async function tellVerdict(submissionId: number): Promise<void> {
    const row = await findRow(store.db, submissionId)
    if (!row) return
    const lock = host.statusLock(row.repository_id, row.sha)
    await store.write(
      async (trx) => {
        const now = await findRow(trx, submissionId)
        const verdict = await trx
          .selectFrom('submission')
          .select(['status', 'result', 'score', 'maximum_score'])
          .where('id', '=', submissionId)
          .executeTakeFirst()
        if (!now || verdict?.status !== finished) return
        const description = describeVerdict(verdict)
        if (now.told === description) return
        await trx
          .updateTable('pushed_file')
          .set({ told: description })
          .where('submission_id', '=', submissionId)
          .execute()
        await host.putStatus(trx, {
          repositoryId: row.repository_id,
          sha: row.sha,
          creatorId: row.pusher_id,
          context: row.context,
          state: stateOf(verdict.result),
          description,
          address: addressOf(submissionId),
        })
      },
      { locks: [lock] },
    )
  }

  finishedSubmissions.consume(async (trx, { id }) => {
    if (await findRow(trx, id))
      await jobs.enqueue(trx, verdictKind, { submissionId: id }, { key: String(id), maxTries })
  })

  return {
    /** Runs in the write that completes a push, so that the submission exists exactly if the push does. */
    async note(trx: Db, { findDefaultBranch, ...push }: PushNote): Promise<void> {
      const links = await listLinks(trx, push.repositoryId, push.at)
      if (links.length === 0) return
      const isOfDefault = links.some(({ branch }) => branch === null)
      const defaultBranch = isOfDefault ? await findDefaultBranch() : undefined
      const branches = new Set(links.map(({ branch }) => branch ?? defaultBranch))
      const moves = push.moves.filter(({ branch, after }) => branches.has(branch) && !noCommit.test(after))
      if (moves.length === 0) return
      await jobs.enqueue(trx, pushedKind, { ...push, moves, defaultBranch } satisfies Pushed, { maxTries })
    },

    /** The repository from which a submission was pushed. */
    findRepository: async (trx: Db, submissionId: number): Promise<number | undefined> =>
      (await findRow(trx, submissionId))?.repository_id,
  }
}

const addressOf = (id: number): string => `/-/judge/submissions/${id}`

/** Without the contest's name, which may be private. */
const inContest = 'A running contest has this problem: submit there.'

const mostDescribed = 140
const shorten = (text: string): string => (text.length > mostDescribed ? `${text.slice(0, mostDescribed - 1)}…` : text)

/** Named by problem title; problems with equal titles are distinguished by the start of their ids. */
function nameContexts(links: readonly Link[]): ReadonlyMap<number, string> {
  const titles = links.map(({ title }) => `judge/${title.trim().slice(0, 200)}`)
  return new Map(
    links.map(({ problemId, uuid }, at) => {
      const isAlone = titles.indexOf(titles[at]!) === titles.lastIndexOf(titles[at]!)
      return [problemId, isAlone ? titles[at]! : `${titles[at]} ${uuid.slice(0, 8)}`]
    }),
  )
}

type Verdict = { readonly result: number; readonly score: number | null; readonly maximum_score: number | null }

function stateOf(result: number): StatusNote['state'] {
  if (result === accepted) return 'success'
  return result === judgeFailure ? 'error' : 'failure'
}

function describeVerdict({ result, score, maximum_score }: Verdict): string {
  const words = describeResult(result)
  const verdict = `${words[0]!.toUpperCase()}${words.slice(1)}`
  if (score === null || maximum_score === null) return `${verdict}.`
  return `${verdict}, ${toPoints(score)} of ${toPoints(maximum_score)} points.`
}

/** The subject was deleted meanwhile. */
function unlessGone(error: unknown): false {
  if (isForeignKeyViolation(error) || (error instanceof Failure && error.kind === 'not-found')) return false
  throw error
}
