/** What the flows of a contest share: the stage, its clock, and what the organiser made. */
import type { makeManualClock } from '../../../src/lib/clock.ts'
import type { Tab } from '../../support/browser.ts'
import type { Stage } from '../stage.ts'

export type ContestWorld = {
  stage: Stage
  clock: ReturnType<typeof makeManualClock>
  /** The sign-ins of the teams, by name, as their slips have them. */
  slips: Map<string, { login: string; password: string }>
}

export const contestId = 'autumn-open'
export const own = `/-/contests/${contestId}`
export const minute = 60_000

/** As a person who was given a slip. */
export async function openAsTeam({ stage, slips }: ContestWorld, team: string): Promise<Tab> {
  const { login, password } = slips.get(team)!
  const tab = await stage.open()
  const params = { AccountName: login, Password: password }
  await tab.context.request.post(`${stage.url}/`, {
    data: { jsonrpc: '2.0', id: crypto.randomUUID(), method: 'create_session', params },
  })
  return tab
}
