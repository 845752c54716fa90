/** Creates the teams of a list with their accounts, one after another, and reports failures. */
import { generatePassword } from '../../../src/accounts/generated-password.ts'
import type { Contest } from '../../api/contests.ts'
import { explain } from '../../api/fault.ts'
import { call } from '../../api/rpc.ts'
import type { Slip } from '../../teach/classes/password-slips.tsx'
import type { PlannedTeam } from './team-list.ts'
import { toId } from './to-id.ts'

export type Made = {
  readonly slips: readonly Slip[]
  readonly teams: number
  readonly failed: readonly { readonly team: PlannedTeam; readonly reason: string }[]
}

/** A name without Latin letters still gets an ID. */
function idOf(name: string, kind: string, used: Map<string, string>): string {
  const known = used.get(name.toLowerCase())
  if (known !== undefined) return known
  const base = toId(name) || kind
  const taken = new Set(used.values())
  let id = base
  for (let at = 2; taken.has(id); at++) id = `${base.slice(0, 32)}-${at}`
  used.set(name.toLowerCase(), id)
  return id
}

export async function makeTeams(
  contest: Contest,
  planned: readonly PlannedTeam[],
  onProgress: (done: number) => void,
): Promise<Made> {
  const ContestID = contest.ID
  const groups = new Map(contest.GroupList.map(({ ID, Name }) => [Name.toLowerCase(), ID]))
  const organisations = new Map<string, string>()
  const slips: Slip[] = []
  const failed: { team: PlannedTeam; reason: string }[] = []
  let teams = 0
  for (const [at, team] of planned.entries()) {
    try {
      const GroupIDList: string[] = []
      for (const name of team.groups) {
        const isKnown = groups.has(name.toLowerCase())
        const ID = idOf(name, 'group', groups)
        if (!isKnown) await call('put_contest_group', { ContestID, ID, Name: name })
        GroupIDList.push(ID)
      }
      let OrganisationID: string | null = null
      if (team.organisation) {
        const isKnown = organisations.has(team.organisation.toLowerCase())
        OrganisationID = idOf(team.organisation, 'organisation', organisations)
        if (!isKnown) await call('put_contest_organisation', { ContestID, ID: OrganisationID, Name: team.organisation })
      }
      for (const { login, isNew } of team.accounts) if (isNew) slips.push(await makeAccount(login, team.name))
      await call('put_contest_team', {
        ContestID,
        ID: team.id,
        Name: team.name,
        AccountNameList: team.accounts.map(({ login }) => login),
        OrganisationID,
        GroupIDList,
      })
      teams++
    } catch (error) {
      failed.push({ team, reason: explain(error) })
    }
    onProgress(at + 1)
  }
  return { slips, teams, failed }
}

/** A display name may be shorter than a team's name. */
const mostOfName = 64

async function makeAccount(login: string, name: string): Promise<Slip> {
  const password = generatePassword()
  const DisplayName = name.slice(0, mostOfName)
  await call('create_account', { AccountName: login, DisplayName, Role: 'contestant', Password: password })
  return { login, name, password }
}
