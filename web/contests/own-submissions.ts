/** A team's submissions and its state for each problem, from its own verdicts, frozen or not. */
import type { Contest, ContestProblem } from '../api/contests.ts'
import type { Operations, SubmissionSnippet } from '../api/operations.ts'
import { call } from '../api/rpc.ts'
import { type Loaded, useLoad } from '../app/load.ts'
import { finished } from '../judge/results.ts'
import { useWatchedList } from '../judge/watched-list.ts'
import { isOver } from './contest-clock.tsx'
import { usePolling } from './polling.ts'

type Find = Operations['find_submission_snippet_list']

/** A limit: a team usually submits a few dozen times. */
const most = 1_000
const calmMs = 300
const pollMs = 15_000

async function readAll(ContestID: string, TeamID: string): Promise<readonly SubmissionSnippet[]> {
  const list: SubmissionSnippet[] = []
  let next: number | null | undefined
  while (next !== null && list.length < most) {
    const params: Find['params'] = { ContestID, TeamID, Limit: 100, BeforeID: next }
    const found: Find['result'] = await call('find_submission_snippet_list', params)
    list.push(...found.SubmissionSnippetList)
    next = found.NextBeforeID
  }
  return list
}

/** Newest first, including those of team mates. */
export function useTeamSubmissions(contest: Contest): Loaded<readonly SubmissionSnippet[]> {
  const { ID, TeamID } = contest
  const loaded = useLoad(`team submissions ${ID} ${TeamID}`, async () => (TeamID === null ? [] : readAll(ID, TeamID)))
  const waiting = (loaded.value ?? []).filter(({ Status }) => Status !== finished).map(({ ID }) => ID)
  useWatchedList(loaded.reload, calmMs, { ids: waiting.join(',') })
  usePolling(loaded.reload, isOver(contest) ? 4 * pollMs : pollMs)
  return loaded
}

export type ProblemState = { readonly isSolved: boolean; readonly tries: number; readonly waiting: number }

export function stateOf(problem: ContestProblem, list: readonly SubmissionSnippet[]): ProblemState {
  const own = list.filter(({ Problem }) => Problem.UUID === problem.UUID)
  return {
    isSolved: own.some(({ Status, Result }) => Status === finished && Result === 1),
    tries: own.length,
    waiting: own.filter(({ Status }) => Status !== finished).length,
  }
}
