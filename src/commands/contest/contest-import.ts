/** `contest import PATH`: makes or completes a contest from a package, with its problems, teams and accounts. */
import { isAccountName } from '../../accounts/account-rules.ts'
import { generatePassword } from '../../accounts/generated-password.ts'
import { OperatorError } from '../../lib/failure.ts'
import { plural } from '../../lib/text/plural.ts'
import { defineCommand } from '../command-line/command.ts'
import { remoteOptions } from '../command-line/remote.ts'
import { bringPackage } from '../judge/packages.ts'
import { JudgeRefusal, type JudgeServer, judgeOf } from '../judge/server.ts'
import { type ContestPlan, type PlannedProblem, readContestPackage } from './package-reading.ts'

const notFound = 6
const alreadyExists = 7

export const contestImport = defineCommand({
  name: 'contest import',
  summary: 'Imports a contest from a contest package (ICPC), with its problems, teams and accounts.',
  words: ['PATH'],
  options: {
    id: { type: 'string', hint: 'ID', sentence: 'The ID of the contest; else the package’s, or the name of PATH.' },
    ...remoteOptions,
  },
  notes: [
    'PATH is a folder or a zip with contest.yaml, problems.yaml, teams.json and so on, and a package of each problem in problems/ID/.',
    'An existing contest is updated; existing problems and accounts stay as they are. Problems stay unreleased until the contest starts.',
    'New accounts are printed with their passwords, as CSV; missing passwords are generated.',
  ],
  async run({ words: [path = ''], options, environment }) {
    const judge = judgeOf(options, environment)
    const plan = await readContestPackage(path)
    try {
      const ContestID = options.id ?? plan.id ?? fromPath(path)
      const note = (text: string) => process.stderr.write(`  - ${text}\n`)
      for (const text of plan.notes) note(text)
      await putContest(judge, ContestID, plan)
      for (const { id: ID, name: Name } of plan.groups) await judge.call('put_contest_group', { ContestID, ID, Name })
      for (const { id: ID, name: Name } of plan.organisations)
        await judge.call('put_contest_organisation', { ContestID, ID, Name })
      const missing = await putProblems(judge, ContestID, plan, note)
      const { made, refused } = await makeAccounts(judge, plan, note)
      await putTeams(judge, ContestID, plan)
      await putPeople(judge, ContestID, plan)
      const counts = [plural(plan.problems.length - missing, 'problem'), plural(plan.teams.length, 'team')]
      process.stderr.write(`Contest ${ContestID}: ${counts.join(', ')}, ${plural(made, 'account')} made.\n`)
      return missing + refused > 0 ? 1 : 0
    } finally {
      await plan.close()
    }
  },
})

const fromPath = (path: string): string => {
  const name = path
    .replace(/\/+$/, '')
    .split('/')
    .at(-1)!
    .replace(/\.zip$/i, '')
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 36)
}

async function putContest({ call }: JudgeServer, ID: string, { contest }: ContestPlan): Promise<void> {
  try {
    await call('create_contest', { ID, ...contest })
  } catch (error) {
    if (!(error instanceof JudgeRefusal) || error.code !== alreadyExists) throw error
    const { Contest } = await call('get_contest', { ID })
    // A package written earlier must not move a start that is set.
    const { StartTime, CountdownPause, ...others } = contest
    const isSet = Contest.StartTime !== null || Contest.CountdownPause !== null
    await call('update_contest', { ID, ...others, ...(!isSet && { StartTime, CountdownPause }) })
  }
}

async function putProblems(
  judge: JudgeServer,
  ContestID: string,
  { problems }: ContestPlan,
  note: (text: string) => void,
): Promise<number> {
  const { Contest } = await judge.call('get_contest', { ID: ContestID })
  const known = new Map((Contest.ProblemList as { ID: string; UUID: string }[]).map(({ ID, UUID }) => [ID, UUID]))
  let missing = 0
  for (const problem of problems) {
    const UUID = known.get(problem.id) ?? (await bringProblem(judge, problem, note))
    if (UUID === undefined) {
      note(`Problem ${problem.id} has no package, and no problem here has its UUID.`)
      missing++
      continue
    }
    const { id: ID, label: Label, ordinal: Ordinal, colour: Colour } = problem
    await judge.call('put_contest_problem', { ContestID, ID, Label, UUID, Ordinal, Colour })
  }
  return missing
}

async function bringProblem(
  judge: JudgeServer,
  { id, uuid, readPackage }: PlannedProblem,
  note: (text: string) => void,
): Promise<string | undefined> {
  if (uuid !== undefined && (await isThere(judge, uuid))) return uuid
  if (!readPackage) return undefined
  const made = await bringPackage(judge, await readPackage(), new URLSearchParams({ held: 'true' }))
  for (const text of made.NoteList) note(`${id}: ${text}`)
  return made.UUID
}

async function isThere({ call }: JudgeServer, UUID: string): Promise<boolean> {
  try {
    await call('get_problem', { UUID })
    return true
  } catch (error) {
    if (error instanceof JudgeRefusal && error.code === notFound) return false
    throw error
  }
}

/** An existing account keeps its password, which the importer does not know. */
async function makeAccounts(
  { call }: JudgeServer,
  { accounts }: ContestPlan,
  note: (text: string) => void,
): Promise<{ made: number; refused: number }> {
  let [made, refused] = [0, 0]
  for (const { name, displayName, type, password = generatePassword(), teamId } of accounts) {
    if (type === 'admin') {
      note(`${name} is an admin in the package: make one with account add.`)
      continue
    }
    if (!isAccountName(name))
      throw new OperatorError(`accounts: ${JSON.stringify(name)} can't be the name of an account.`)
    try {
      const Role = 'contestant'
      await call('create_account', {
        AccountName: name,
        DisplayName: displayName.slice(0, 64),
        Role,
        Password: password,
      })
      if (made === 0) process.stdout.write('name,team,password\n')
      process.stdout.write(`${[name, teamId ?? '', password].map(toCell).join(',')}\n`)
      made++
    } catch (error) {
      if (!(error instanceof JudgeRefusal)) throw error
      note(`${name}: ${error.message}`)
      if (error.code !== alreadyExists) refused++
    }
  }
  return { made, refused }
}

const toCell = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

async function putTeams({ call }: JudgeServer, ContestID: string, { teams, accounts }: ContestPlan): Promise<void> {
  for (const team of teams)
    await call('put_contest_team', {
      ContestID,
      ID: team.id,
      Label: team.label,
      Name: team.name,
      AccountNameList: accounts.filter(({ teamId }) => teamId === team.id).map(({ name }) => name),
      OrganisationID: team.organisationId,
      GroupIDList: team.groupIds,
      IsHidden: team.isHidden,
    })
}

async function putPeople({ call }: JudgeServer, ID: string, { accounts }: ContestPlan): Promise<void> {
  const namesOf = (type: string) => accounts.filter((one) => one.type === type).map(({ name }) => name)
  const [jury, staff] = [namesOf('judge'), namesOf('staff')]
  if (jury.length + staff.length === 0) return
  const { Contest } = await call('get_contest', { ID })
  const JuryList = [...new Set([...(Contest.JuryList as string[]), ...jury])]
  const StaffList = [...new Set([...(Contest.StaffList as string[]), ...staff])]
  await call('update_contest', { ID, JuryList, StaffList })
}
