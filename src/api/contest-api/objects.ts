/** The objects of a contest in the Contest API's format, as this caller may see them now. */
import { describeFile } from '../../http/file-headers.ts'
import {
  type Contest,
  contestTimeOf,
  endOf,
  freezeStartOf,
  hasEnded,
  hasStarted,
  isThawed,
  wallTimeOf,
} from '../../judge/contest-access/contest.ts'
import type { Standing } from '../../judge/contest-access/contest-access.ts'
import type { Award } from '../../judge/contests/board/awards.ts'
import type { Clarification } from '../../judge/contests/clarifications.ts'
import type { ContestReading, ReadProblem, ReadSubmission } from '../../judge/contests/contest-reading.ts'
import type { ContestServices } from '../../judge/contests/contest-services.ts'
import type { Limits } from '../../judge/limits.ts'
import { toPoints } from '../../lib/judging-rules/scoring/rules.ts'
import type { FeedType } from './access.ts'
import { judgementTypes, presentLanguage, simplify, toLanguageId, typeOf } from './languages.ts'
import { toRelative, toTime, toTimeOrNull } from './times.ts'

export type ApiObject = Readonly<Record<string, unknown>>

/** The caller, and how strictly the published schemas are followed. */
export type ContestView = {
  readonly standing: Standing
  readonly accountId: number | undefined
  readonly isStrict: boolean
  readonly now: number
}

type Needs = {
  reading: ContestReading
  services: Pick<ContestServices, 'clarifications' | 'scoreboards'>
  listLanguages(): Promise<readonly { readonly value: string; readonly name: string }[]>
  limits: Limits
}

export type ContestObjects = ReturnType<typeof makeContestObjects>

const mebibyte = 1024 * 1024

export function makeContestObjects({ reading, services, listLanguages, limits }: Needs) {
  /** Callers who may not read the statement get only what references need. */
  const presentProblem = (view: ContestView, problem: ReadProblem): ApiObject => ({
    id: problem.id,
    uuid: problem.uuid,
    label: problem.label,
    name: problem.name,
    ordinal: problem.ordinal,
    rgb: problem.colour,
    ...(isReadable(view.standing, view.accountId, problem)
      ? presentOpened(view, problem)
      : { statement: [], ...(!view.isStrict && { attachments: [] }) }),
  })

  const presentOpened = ({ standing, isStrict }: ContestView, problem: ReadProblem): ApiObject => ({
    time_limit: problem.timeLimitMs / 1_000,
    memory_limit: Math.floor(problem.memoryLimitBytes / mebibyte),
    output_limit: 16,
    code_limit: Math.floor(limits.sourceBytes / 1_024),
    test_data_count: problem.testCount,
    ...(standing.contest.style === 'ioi' && { max_score: toPoints(problem.maximumScore) }),
    statement: [
      {
        href: `contests/${standing.contest.publicId}/problems/${problem.id}/statement`,
        mime: 'text/html',
        filename: `${problem.id}.html`,
      },
    ],
    ...(!isStrict && {
      attachments: problem.attachments.map((name) => ({
        href: `contests/${standing.contest.publicId}/problems/${problem.id}/attachments/${encodeURIComponent(name)}`,
        mime: describeFile(name)['content-type'],
        filename: name,
      })),
    }),
  })

  async function listAccounts({ standing, accountId }: ContestView): Promise<ApiObject[]> {
    const accounts = await reading.readAccounts(standing, accountId)
    return accounts.map(({ id, name, displayName, teamId }) => ({
      id: String(id),
      username: name,
      name: displayName,
      type: 'team',
      team_id: teamId,
    }))
  }

  async function listLanguagesOf({ standing: { contest } }: ContestView): Promise<ApiObject[]> {
    const offered = await listLanguages()
    if (contest.languages.length === 0) return offered.map(({ value, name }) => presentLanguage(value, name))
    return contest.languages.map(({ language }) =>
      presentLanguage(language, offered.find(({ value }) => value === language)?.name ?? language),
    )
  }

  async function readRuns(view: ContestView, submissions: readonly ReadSubmission[]): Promise<ApiObject[]> {
    const runs: ApiObject[] = []
    for (const one of submissions) {
      if (!one.isOwn || !one.verdict) continue
      const { endedAt, endedMs } = one.verdict
      for (const { ordinal, result, cpuMs } of await reading.readRuns(one.id))
        runs.push({
          id: `${one.id}-${ordinal}`,
          judgement_id: String(one.id),
          ordinal,
          judgement_type_id: typeOf(result),
          time: toTime(endedAt),
          contest_time: toRelative(endedMs),
          run_time: cpuMs / 1_000,
        })
    }
    return view.standing.isJury || view.standing.teamId !== null ? runs : []
  }

  const toIds = (ids: readonly string[]): number[] => ids.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)

  return {
    /** Undefined if awards are hidden from the caller. `sequence` is that of the last event included in them. */
    async readAwards({ standing }: ContestView) {
      const found = await services.scoreboards.readAwards(standing)
      if (!found) return undefined
      const list = () => (JSON.parse(found.bytes.toString()) as Award[]).map(presentAward)
      return { sequence: found.sequence, etag: found.etag, list }
    },

    /** All objects of a type, or those with these ids; runs are selected by the ids of their submissions. */
    async list(view: ContestView, type: FeedType, ids?: readonly string[]): Promise<ApiObject[]> {
      const { standing } = view
      const wanted = ids && new Set(ids)
      const among = (all: readonly ApiObject[]) =>
        wanted ? all.filter(({ id }) => wanted.has(id as string)) : [...all]
      const submissions = () => reading.readSubmissions(standing, ids && toIds(ids))
      switch (type) {
        case 'contest':
          return [presentContest(standing.contest)]
        case 'state':
          return [presentState(standing.contest, view.now)]
        case 'judgement-types':
          return among(judgementTypes.map((one) => (view.isStrict ? withoutSimplified(one) : one)))
        case 'languages':
          return among(await listLanguagesOf(view))
        case 'problems':
          return among((await reading.readProblems(standing)).map((one) => presentProblem(view, one)))
        case 'groups':
          return among(await reading.readNamed(standing, 'group'))
        case 'organizations':
          return among(await reading.readNamed(standing, 'organisation'))
        case 'teams': {
          const teams =
            ids?.length === 1 ? await reading.readTeams(standing, ids[0]) : await reading.readTeams(standing)
          return among(
            teams.map((team) => ({
              id: team.id,
              name: team.name,
              label: team.label === '' ? team.id : team.label,
              organization_id: team.organisationId,
              group_ids: team.groupIds,
              ...(standing.isJury && { hidden: team.isHidden }),
            })),
          )
        }
        case 'accounts':
          return among(await listAccounts(view))
        case 'submissions':
          return (await submissions()).map((one) => presentSubmission(standing.contest, one))
        case 'judgements':
          return (await submissions()).flatMap((one) => presentJudgement(view, one))
        case 'runs':
          return readRuns(view, await submissions())
        case 'clarifications': {
          const found = await services.clarifications.read(standing, ids && toIds(ids))
          // A clarification without recipients would read as if it went to everyone, so it is left out.
          const sent = found.filter((one) => !view.isStrict || one.fromTeamId !== null || one.isToAll || reaches(one))
          return sent.map((one) => presentClarification(view, one))
        }
        case 'awards': {
          return among((await services.scoreboards.listAwards(standing)).map(presentAward))
        }
      }
    },
  }
}

const presentAward = ({ id, citation, teamIds }: Award): ApiObject => ({ id, citation, team_ids: teamIds })

const reaches = ({ toTeamIds, reachedTeamId }: Clarification) => toTeamIds.length > 0 || reachedTeamId !== null

/** A contest may show its problems to the public, without signing in. */
export const isReadable = ({ contest }: Standing, accountId: number | undefined, { isOpen }: ReadProblem): boolean =>
  isOpen && (accountId !== undefined || contest.showsProblemsToPublic)

export const presentContest = (contest: Contest): ApiObject => ({
  id: contest.publicId,
  name: contest.name,
  ...(contest.formalName !== null && { formal_name: contest.formalName }),
  start_time: toTimeOrNull(contest.startTime),
  countdown_pause_time: contest.countdownPauseMs === null ? null : toRelative(contest.countdownPauseMs),
  duration: toRelative(contest.durationMs),
  scoreboard_freeze_duration: contest.freezeDurationMs === null ? null : toRelative(contest.freezeDurationMs),
  scoreboard_thaw_time: toTimeOrNull(contest.thawedAt ?? contest.thawTime),
  scoreboard_type: contest.style === 'ioi' ? 'score' : 'pass-fail',
  ...(contest.style === 'icpc' && { penalty_time: toRelative(contest.penaltyMinutes * 60_000) }),
})

/** A freeze that was lifted before the end does not count. */
export function presentState(contest: Contest, now: number): ApiObject {
  const end = endOf(contest)
  const isEnded = hasEnded(contest, now)
  const from = freezeStartOf(contest)
  const froze = from === null ? null : wallTimeOf(contest, from)
  const isLifted = contest.thawedAt !== null && end !== null && contest.thawedAt < end
  const frozen = froze !== null && froze <= now && !isLifted && hasStarted(contest, now) ? froze : null
  const thawed = frozen !== null && isThawed(contest, now) ? contest.thawedAt : null
  const { finalizedAt } = contest
  const isOver = finalizedAt !== null && (frozen === null || thawed !== null)
  return {
    started: hasStarted(contest, now) ? toTimeOrNull(contest.startTime) : null,
    frozen: toTimeOrNull(frozen),
    ended: isEnded ? toTimeOrNull(end) : null,
    thawed: toTimeOrNull(thawed),
    finalized: toTimeOrNull(finalizedAt),
    end_of_updates: isOver ? toTime(Math.max(finalizedAt!, thawed ?? 0)) : null,
  }
}

export const presentSubmission = (contest: Contest, one: ReadSubmission): ApiObject => ({
  id: String(one.id),
  language_id: toLanguageId(one.language),
  problem_id: one.problemId,
  team_id: one.teamId,
  time: toTime(one.handedInAt),
  contest_time: toRelative(one.contestMs),
  entry_point: one.entryPoint,
  files: one.isOwn
    ? [
        {
          href: `contests/${contest.publicId}/submissions/${one.id}/files`,
          filename: `${one.id}.zip`,
          mime: 'application/zip',
        },
      ]
    : [],
})

/** An unfinished or hidden judgement is pending, so it is left out. Judging time counts from the submission. */
function presentJudgement({ standing, isStrict }: ContestView, one: ReadSubmission): ApiObject[] {
  const { verdict } = one
  if (!verdict) return []
  const { contest, isJury } = standing
  // Whoever sees no board must not add one up.
  const seesScore = verdict.score !== null && contest.style === 'ioi' && (isJury || one.isOwn || !contest.boardIsHidden)
  const type = typeOf(verdict.result)
  const simple = simplify(type)
  const types = isStrict
    ? { judgement_type_id: verdict.isSimplified ? simple : type }
    : verdict.isSimplified
      ? { simplified_judgement_type_id: simple }
      : { judgement_type_id: type, simplified_judgement_type_id: simple === type && type === 'JE' ? null : simple }
  return [
    {
      id: String(one.id),
      submission_id: String(one.id),
      ...types,
      ...(seesScore && { score: toPoints(verdict.score!) }),
      current: true,
      start_time: toTime(one.handedInAt),
      start_contest_time: toRelative(one.contestMs),
      end_time: toTime(verdict.endedAt),
      end_contest_time: toRelative(verdict.endedMs),
      ...(verdict.cpuMs !== null && { max_run_time: verdict.cpuMs / 1_000 }),
    },
  ]
}

/**
 * The published schemas have room for one recipient team. Of several, the first is given: null would mean that it is
 * for all.
 */
export const presentClarification = ({ standing, isStrict }: ContestView, one: Clarification): ApiObject => {
  const { contest } = standing
  const isQuestion = one.fromTeamId !== null
  const isNarrow = !isQuestion && !one.isToAll
  const recipients = isStrict
    ? { to_team_id: isNarrow ? (one.toTeamIds[0] ?? one.reachedTeamId) : null }
    : { to_team_ids: isNarrow ? one.toTeamIds : null, to_group_ids: isNarrow ? one.toGroupIds : null }
  return {
    id: String(one.id),
    from_team_id: one.fromTeamId,
    ...recipients,
    reply_to_id: one.replyTo === null ? null : String(one.replyTo),
    problem_id: one.problemId,
    text: one.text,
    time: toTime(one.createdAt),
    contest_time: toRelative(contestTimeOf(contest, one.createdAt) ?? 0),
  }
}

function withoutSimplified({ simplified_judgement_type_id: _left, ...rest }: ApiObject): ApiObject {
  return rest
}
