/** Finds what is missing before a contest starts, over the judge's interface. */
import { JudgeRefusal, type JudgeServer } from '../judge/server.ts'

export type Missing = {
  /** A start would fail or go wrong. */
  readonly faults: readonly string[]
  /** Worth a look; it may be intended. */
  readonly notes: readonly string[]
}

type Problem = { readonly ID: string; readonly Label: string; readonly UUID: string; readonly DisplayName: string }
type Team = { readonly ID: string; readonly Name: string; readonly AccountNameList: readonly string[] }
type Executor = { readonly IsConnected: boolean; readonly ParallelRunCount: number }

const pageSize = 100
const accepted = 1
const denied = 8
/** Near the end, a team submits about this often. */
const everySeconds = 300
/** Executors that are busier than this make people wait. */
const busyShare = 0.7
/** For compilation and work around the runs. */
const overheadSeconds = 1
const solutionsLookedAt = 5

export async function findMissing(judge: JudgeServer, ContestID: string): Promise<Missing> {
  const faults: string[] = []
  const notes: string[] = []
  const { Contest } = await judge.call('get_contest', { ID: ContestID })
  if (Contest.Role !== 'jury')
    return { faults: ['You are not in its jury: ask a member of the jury to check it.'], notes }
  const problems = Contest.ProblemList as Problem[]
  const teams = await listTeams(judge, ContestID)
  if (problems.length === 0) faults.push('It has no problems.')
  if (teams.length === 0 && !Contest.IsOpen) faults.push('It has no teams, and is not open for people to join.')
  const lonely = teams.filter(({ AccountNameList }) => AccountNameList.length === 0)
  if (lonely.length > 0)
    faults.push(
      `${name(
        'Team',
        lonely.map(({ ID }) => ID),
      )} without an account.`,
    )
  if (Contest.StartTime === null) notes.push('It has no start time yet.')
  await checkLanguages(judge, Contest.LanguageList, faults)
  const seconds: number[] = []
  for (const problem of problems) {
    const found = await checkProblem(judge, problem, faults, notes)
    if (found !== undefined) seconds.push(found)
  }
  if (seconds.length > 0) await checkExecutors(judge, teams.length, seconds, faults, notes)
  return { faults, notes }
}

const name = (noun: string, ids: readonly string[]): string => {
  const shown = ids.slice(0, 10).join(', ')
  const more = ids.length > 10 ? ` and ${ids.length - 10} more` : ''
  return `${noun}${ids.length === 1 ? '' : 's'} ${shown}${more} ${ids.length === 1 ? 'is' : 'are'}`
}

async function listTeams({ call }: JudgeServer, ContestID: string): Promise<Team[]> {
  const teams: Team[] = []
  for (;;) {
    const { TeamList } = await call('get_contest_team_list', { ContestID, Offset: teams.length, Limit: pageSize })
    teams.push(...TeamList)
    if (TeamList.length < pageSize) return teams
  }
}

async function checkLanguages(
  { call }: JudgeServer,
  allowed: readonly { Language: string }[],
  faults: string[],
): Promise<void> {
  const { SupportedLanguageList } = await call('get_server_info', {})
  const offered = new Set((SupportedLanguageList as { Value: string }[]).map(({ Value }) => Value))
  const missing = allowed.map(({ Language }) => Language).filter((one) => !offered.has(one))
  if (missing.length > 0) faults.push(`No executor has ${missing.join(', ')}, which the contest takes.`)
}

/** Answers how many seconds one of its solutions takes to judge. */
async function checkProblem(
  { call }: JudgeServer,
  { Label, UUID }: Problem,
  faults: string[],
  notes: string[],
): Promise<number | undefined> {
  let isHeld = false
  try {
    const { Judging } = await call('get_problem_judging', { UUID })
    isHeld = Judging.IsHeld === true
    if (!isHeld) notes.push(`Problem ${Label} is not held: everybody can read it already.`)
    const { TotalTestCaseCount } = await call('get_problem_test_case_snippet_list', {
      ProblemUUID: UUID,
      Offset: 0,
      Limit: 1,
    })
    if (TotalTestCaseCount === 0) faults.push(`Problem ${Label} has no tests.`)
  } catch (error) {
    if (!(error instanceof JudgeRefusal)) throw error
    faults.push(`Problem ${Label} is not released and would stay closed: ask its author to add it to the contest.`)
    return undefined
  }
  const { SubmissionSnippetList } = await call('find_submission_snippet_list', {
    ProblemUUID: UUID,
    Result: accepted,
    Limit: solutionsLookedAt,
  })
  if (SubmissionSnippetList.length === 0) {
    faults.push(
      `Problem ${Label} was never solved: judge its own solutions (problem check ${UUID} --keep, or hand one in).`,
    )
    return undefined
  }
  const seconds: number[] = []
  for (const { ID } of SubmissionSnippetList) {
    const found = await readSeconds(call, ID)
    if (found !== undefined) seconds.push(found)
  }
  return seconds.length > 0 ? Math.max(...seconds) : undefined
}

async function readSeconds(call: JudgeServer['call'], ID: number): Promise<number | undefined> {
  try {
    const { Report } = await call('get_submission_report', { ID })
    const tests = (Report?.TestList ?? []) as { WallTimeInMillisecond?: number | null }[]
    return overheadSeconds + tests.reduce((sum, one) => sum + (one.WallTimeInMillisecond ?? 0), 0) / 1_000
  } catch (error) {
    if (error instanceof JudgeRefusal) return undefined
    throw error
  }
}

async function checkExecutors(
  { call }: JudgeServer,
  teams: number,
  seconds: readonly number[],
  faults: string[],
  notes: string[],
): Promise<void> {
  const mean = seconds.reduce((sum, one) => sum + one, 0) / seconds.length
  const needed = Math.max(1, Math.ceil((teams * mean) / everySeconds / busyShare))
  const why = `${teams} teams that each hand in every five minutes, ${mean.toFixed(1)} s each, need ${needed} slots`
  try {
    const { ExecutorList } = await call('get_executor_list', {})
    const slots = (ExecutorList as Executor[])
      .filter(({ IsConnected }) => IsConnected)
      .reduce((sum, { ParallelRunCount }) => sum + ParallelRunCount, 0)
    if (slots < needed) faults.push(`Too few executors: ${why}; ${slots} are connected.`)
    else notes.push(`Executors suffice: ${why}; ${slots} are connected.`)
  } catch (error) {
    if (!(error instanceof JudgeRefusal) || error.code !== denied) throw error
    notes.push(`Ask an admin whether executors suffice: ${why}.`)
  }
}
