/** All teams of a contest, and their names. */
import type { ListedTeam } from '../api/contests.ts'
import { callAll, openAnswer } from '../api/rpc.ts'
import { type Loaded, useLoad } from '../app/load.ts'

const step = 100
/** A request takes a hundred calls. */
const stepsAtOnce = 20

type Part = { readonly TotalTeamCount: number; readonly TeamList: readonly ListedTeam[] }

export async function readTeams(ContestID: string): Promise<readonly ListedTeam[]> {
  const read = async (from: number, steps: number) => {
    const calls = Array.from({ length: steps }, (_, at) => {
      const params = { ContestID, Offset: from + at * step, Limit: step }
      return ['get_contest_team_list', params] as const
    })
    return (await callAll(calls)).map((answer) => openAnswer<Part>(answer))
  }
  const [first] = await read(0, 1)
  const teams = [...first!.TeamList]
  for (let from = step; from < first!.TotalTeamCount; from += step * stepsAtOnce) {
    const left = Math.ceil((first!.TotalTeamCount - from) / step)
    for (const { TeamList } of await read(from, Math.min(stepsAtOnce, left))) teams.push(...TeamList)
  }
  return teams
}

export const useTeams = (contestId: string): Loaded<readonly ListedTeam[]> =>
  useLoad(`teams ${contestId}`, () => readTeams(contestId))

/** Names by ID; until the teams are loaded, the ID itself. */
export function useTeamNames(contestId: string): (id: string) => string {
  const loaded = useTeams(contestId)
  const names = new Map((loaded.value ?? []).map(({ ID, Name }) => [ID, Name]))
  return (id) => names.get(id) ?? id
}
