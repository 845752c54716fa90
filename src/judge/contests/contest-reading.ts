/** A contest's objects as a reader may see them now, for the feed and the lists of the Contest API. */
import type { Clock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { contestTimeOf, hasStarted, isThawed } from '../contest-access/contest.ts'
import { isHeldFrom, type Standing, seesStatements } from '../contest-access/contest-access.ts'
import { type Exposure, exposureTo, unpublishedName } from '../contest-access/shown-submissions.ts'
import { unscoredMaximum } from './board/cell.ts'
import { contestChannel, readContestSignal } from './contest-log.ts'
import type { ContestTeams, Team } from './contest-teams.ts'
import { selectTeams } from './contest-teams.ts'

export type ReadProblem = {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly ordinal: number
  readonly colour: string
  readonly uuid: string
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  readonly testCount: number
  /** In millionths. */
  readonly maximumScore: number
  /** Whether the reader may read its statement. */
  readonly isOpen: boolean
  /** Names of its attached files. */
  readonly attachments: readonly string[]
}

/** `verdict` is undefined while it is hidden. */
export type ReadSubmission = {
  readonly id: number
  readonly teamId: string
  readonly problemId: string
  readonly language: string
  readonly handedInAt: number
  readonly contestMs: number
  readonly entryPoint: string | null
  readonly isOwn: boolean
  /** Its verdict is hidden until the thaw. */
  readonly isFrozen: boolean
  readonly verdict:
    | {
        readonly result: number
        readonly isSimplified: boolean
        readonly endedAt: number
        readonly endedMs: number
        readonly cpuMs: number | null
        readonly score: number | null
      }
    | undefined
}

export type ReadRun = { readonly ordinal: number; readonly result: number; readonly cpuMs: number }

export type LoggedEvent = { readonly sequence: number; readonly type: string; readonly id: string | null }

export type ContestReading = ReturnType<typeof makeContestReading>

const finished = 3
const judgeFailure = 9
const portion = 400

type Needs = { store: Store; clock: Clock; contestTeams: ContestTeams }

export function makeContestReading({ store, clock, contestTeams }: Needs) {
  const { db } = store

  const selectSubmissions = (standing: Standing) =>
    db
      .selectFrom('contest_submission')
      .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
      .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
      .innerJoin('contest_problem', 'contest_problem.id', 'contest_submission.contest_problem_id')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .leftJoin('present_result', 'present_result.submission_id', 'contest_submission.submission_id')
      .select(['contest_submission.submission_id as id', 'contest_submission.team_id', 'contest_team.is_hidden'])
      .select(['contest_team.public_id as team', 'contest_problem.public_id as problem', 'submission.language'])
      .select(['contest_submission.handed_in_at', 'contest_submission.entry_point', 'submission.status'])
      .select(['submission.result', 'submission.finished_at', 'submission.cpu_ms', 'submission.score'])
      .select('problem.author_id')
      .select(['present_result.result as p_result', 'present_result.finished_at as p_finished_at'])
      .select(['present_result.cpu_ms as p_cpu_ms', 'present_result.score as p_score'])
      .where('contest_submission.contest_id', '=', standing.contest.id)
      .where('contest_submission.is_ignored', '=', 0)

  type Row = Awaited<ReturnType<ReturnType<typeof selectSubmissions>['execute']>>[number]

  function show(standing: Standing, row: Row, now: number): ReadSubmission | undefined {
    const { contest } = standing
    const one = {
      id: row.id,
      teamId: row.team_id,
      isHiddenTeam: row.is_hidden === 1,
      handedInAt: row.handed_in_at,
      problemAuthorId: row.author_id,
    }
    const exposure = exposureTo(standing, one, now)
    if (exposure === 'nothing') return undefined
    return {
      id: row.id,
      teamId: row.team,
      problemId: row.problem,
      language: row.language,
      handedInAt: row.handed_in_at,
      contestMs: contestTimeOf(contest, row.handed_in_at) ?? 0,
      entryPoint: row.entry_point,
      isOwn: exposure === 'work' || exposure === 'all',
      isFrozen: exposure === 'existence',
      verdict: verdictOf(standing, row, exposure, now),
    }
  }

  function verdictOf(standing: Standing, row: Row, exposure: Exposure, now: number): ReadSubmission['verdict'] {
    const { contest } = standing
    const isRejudged = row.p_result !== null
    if (exposure === 'existence' || (!isRejudged && row.status !== finished)) return undefined
    const result = row.p_result ?? row.result
    if (result === judgeFailure && exposure !== 'all') return undefined
    const endedAt = (isRejudged ? row.p_finished_at : row.finished_at) ?? row.handed_in_at
    const score = (isRejudged ? row.p_score : row.score) ?? (result === 1 ? unscoredMaximum : 0)
    const isWhole = exposure === 'work' || exposure === 'all'
    return {
      result,
      isSimplified: !isWhole && !isThawed(contest, now),
      endedAt,
      endedMs: contestTimeOf(contest, endedAt) ?? 0,
      cpuMs: isWhole ? (isRejudged ? row.p_cpu_ms : row.cpu_ms) : null,
      score: contest.style === 'ioi' ? score : null,
    }
  }

  /** By problem, the names of files for everyone who sees the problem. */
  async function readAttachments(problemIds: readonly number[]): Promise<Map<number, string[]>> {
    if (problemIds.length === 0) return new Map()
    const rows = await db
      .selectFrom('problem_file')
      .select(['problem_id', 'path'])
      .where('problem_id', 'in', problemIds)
      .where('path', 'like', `${attachmentFolder}%`)
      .orderBy('path')
      .execute()
    const found = new Map<number, string[]>()
    for (const { problem_id, path } of rows) {
      const name = path.slice(attachmentFolder.length)
      // The Contest API has no folders, and LIKE ignores case.
      if (!path.startsWith(attachmentFolder) || name.includes('/')) continue
      found.set(problem_id, [...(found.get(problem_id) ?? []), name])
    }
    return found
  }

  const selectProblems = (contestId: number) =>
    db
      .selectFrom('contest_problem')
      .innerJoin('problem', 'problem.id', 'contest_problem.problem_id')
      .leftJoin('problem_judging', 'problem_judging.problem_id', 'problem.id')
      .select(['contest_problem.public_id', 'label', 'ordinal', 'colour', 'problem.display_name', 'problem.uuid'])
      .select(['problem.id', 'problem.author_id', 'problem.is_held', 'contest_problem.opens_held'])
      .select(['problem.time_limit_ms', 'problem.memory_limit_bytes', 'problem.test_count', 'problem_judging.settings'])
      .where('contest_problem.contest_id', '=', contestId)
      .orderBy('ordinal')
      .orderBy('contest_problem.id')
      .execute()

  return {
    /** Two texts differ if anything differs that is read of the contest's problems, for whomever. */
    async describeProblems(contestId: number): Promise<string> {
      const rows = await selectProblems(contestId)
      const attachments = await readAttachments(rows.map(({ id }) => id))
      return JSON.stringify([rows, [...attachments]])
    },

    async readProblems(standing: Standing, id?: string): Promise<ReadProblem[]> {
      const now = clock.now()
      if (!standing.isJury && !hasStarted(standing.contest, now)) return []
      const all = await selectProblems(standing.contest.id)
      const places = new Map(all.map((row, i) => [row.public_id, i]))
      const rows = id === undefined ? all : all.filter((row) => row.public_id === id)
      const attachments = await readAttachments(rows.map((row) => row.id))
      return rows.map((row) => ({
        id: row.public_id,
        label: row.label,
        name: isHeldFrom(standing, row) ? unpublishedName : row.display_name,
        ordinal: places.get(row.public_id)!,
        colour: row.colour,
        uuid: row.uuid,
        timeLimitMs: row.time_limit_ms,
        memoryLimitBytes: row.memory_limit_bytes,
        testCount: row.test_count,
        maximumScore: readMaximum(row.settings),
        isOpen: seesStatements(standing, now, row),
        attachments: attachments.get(row.id) ?? [],
      }))
    },

    async readTeams(standing: Standing, id?: string): Promise<Team[]> {
      const { contest, isJury, teamId } = standing
      const rows = await selectTeams(db, contest.id)
        .$if(!isJury, (query) =>
          query.where((eb) => eb.or([eb('contest_team.is_hidden', '=', 0), eb('contest_team.id', '=', teamId ?? 0)])),
        )
        .$if(id !== undefined, (query) => query.where('contest_team.public_id', '=', id!))
        .orderBy('contest_team.id')
        .execute()
      const teams: Team[] = []
      for (let at = 0; at < rows.length; at += portion)
        teams.push(...(await contestTeams.complete(db, rows.slice(at, at + portion))))
      return teams
    },

    async readNamed(standing: Standing, kind: 'group' | 'organisation', id?: string) {
      const table = kind === 'group' ? ('contest_group' as const) : ('contest_organisation' as const)
      return db
        .selectFrom(table)
        .select(['public_id as id', 'name'])
        .where('contest_id', '=', standing.contest.id)
        .$if(id !== undefined, (query) => query.where('public_id', '=', id!))
        .orderBy(`${table}.id`)
        .execute()
    },

    /** The jury sees the accounts of all teams; others see their own. */
    async readAccounts(standing: Standing, accountId: number | undefined) {
      const rows = await db
        .selectFrom('contest_member')
        .innerJoin('account', 'account.id', 'contest_member.account_id')
        .innerJoin('contest_team', 'contest_team.id', 'contest_member.team_id')
        .select(['account.id', 'account.name', 'account.display_name', 'contest_team.public_id as team'])
        .where('contest_member.contest_id', '=', standing.contest.id)
        .$if(!standing.isJury, (query) => query.where('account.id', '=', accountId ?? 0))
        .orderBy('account.id')
        .execute()
      return rows.map((row) => ({ id: row.id, name: row.name, displayName: row.display_name, teamId: row.team }))
    },

    /** All submissions by id, or only these, read in portions. */
    async readSubmissions(standing: Standing, ids?: readonly number[]): Promise<ReadSubmission[]> {
      const now = clock.now()
      const found: ReadSubmission[] = []
      const take = (rows: readonly Row[]) => {
        for (const row of rows) {
          const one = show(standing, row, now)
          if (one) found.push(one)
        }
      }
      if (ids) {
        for (let at = 0; at < ids.length; at += portion)
          take(
            await selectSubmissions(standing)
              .where('submission.id', 'in', ids.slice(at, at + portion))
              .execute(),
          )
        return found
      }
      for (let after = 0; ; ) {
        const rows = await selectSubmissions(standing)
          .where('submission.id', '>', after)
          .orderBy('submission.id')
          .limit(pageSize)
          .execute()
        take(rows)
        if (rows.length < pageSize) return found
        after = rows.at(-1)!.id
      }
    },

    /** Whether it was deleted or is ignored, which hides it from everybody, and was not hidden from the reader before. */
    async isGone({ isJury, teamId }: Standing, id: number): Promise<boolean> {
      const row = await db
        .selectFrom('contest_submission')
        .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
        .select(['contest_submission.is_ignored', 'contest_submission.team_id', 'contest_team.is_hidden'])
        .where('contest_submission.submission_id', '=', id)
        .executeTakeFirst()
      if (!row) return true
      return row.is_ignored !== 0 && (row.is_hidden === 0 || isJury || row.team_id === teamId)
    },

    /** For a submission whose details the reader may see: the result of each test, with coarse figures. */
    async readRuns(submissionId: number): Promise<ReadRun[]> {
      const row = await db
        .selectFrom('submission')
        .leftJoin('submission_report', 'submission_report.submission_id', 'submission.id')
        .leftJoin('present_result', 'present_result.submission_id', 'submission.id')
        .select(['submission_report.report', 'present_result.report as p_report', 'present_result.result as p_result'])
        .where('submission.id', '=', submissionId)
        .executeTakeFirst()
      const text = row && (row.p_result === null ? row.report : row.p_report)
      if (!text) return []
      const { tests } = JSON.parse(text) as { tests: { result: number; cpuMs: number }[] }
      return tests
        .map(({ result, cpuMs }, i) => ({ ordinal: i + 1, result, cpuMs: Math.round(cpuMs / 10) * 10 }))
        .filter(({ result }) => result !== 0)
    },

    async readSource(submissionId: number): Promise<Uint8Array | undefined> {
      const row = await db
        .selectFrom('submission_source')
        .select('content')
        .where('submission_id', '=', submissionId)
        .executeTakeFirst()
      return row?.content
    },

    /** Entries after this number, oldest first. */
    async readLog(contestId: number, after: number, most: number): Promise<LoggedEvent[]> {
      const rows = await db
        .selectFrom('contest_log')
        .select(['sequence', 'type', 'object_id'])
        .where('contest_id', '=', contestId)
        .where('sequence', '>', after)
        .orderBy('sequence')
        .limit(most)
        .execute()
      return rows.map((row) => ({ sequence: row.sequence, type: row.type, id: row.object_id }))
    },

    listen: (listener: (contestId: number | undefined) => void): (() => void) =>
      store.listen(contestChannel, (text) => listener(readContestSignal(text)?.id)),
  }
}

export const attachmentFolder = 'attachments/'
const pageSize = 2_000

function readMaximum(settings: string | null): number {
  const maximum =
    settings === null ? undefined : (JSON.parse(settings) as { maximumScore?: number | null }).maximumScore
  return maximum ?? unscoredMaximum
}
