/** Parses a list of teams and plans what each line would create. */
import { parseCsv } from '../../../src/lib/text/csv.ts'
import type { Contest, Team } from '../../api/contests.ts'
import { Fault } from '../../api/fault.ts'
import { findPerson } from '../../api/people.ts'
import { toId } from './to-id.ts'

export type PlannedAccount = { readonly login: string; readonly isNew: boolean }
export type PlannedTeam = {
  readonly line: number
  readonly id: string
  readonly name: string
  readonly organisation: string
  readonly groups: readonly string[]
  readonly accounts: readonly PlannedAccount[]
  readonly act: 'create' | 'update' | 'refuse'
  readonly reason: string
}

const fields = {
  name: /^(?:team|team ?name|name)$/i,
  organisation: /^(?:organi[sz]ation|university|school|institution|affiliation|city|club)$/i,
  groups: /^(?:groups?|category|division|site)$/i,
  accounts: /^(?:accounts?|logins?|members?|user ?names?)$/i,
  id: /^(?:id|team ?id|number|no\.?)$/i,
} as const
type FieldName = keyof typeof fields

const idPattern = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,35}$/
const loginPattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/
const mostTeams = 10_000

/** The separator that most lines contain; a comma by default. */
function findDelimiter(text: string): string {
  const lines = text.split('\n')
  const counts = [',', ';', '\t'].map((one) => [one, lines.filter((line) => line.includes(one)).length] as const)
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0]
}

type Read = { readonly line: number } & Readonly<Record<FieldName, string>>

/** A header line names the columns; without one they are team, organisation, groups and accounts. */
export function readRows(text: string): readonly Read[] {
  const { rows, lines } = parseCsv(text, findDelimiter(text), true)
  const head = (rows[0] ?? []).map((cell) =>
    (Object.keys(fields) as FieldName[]).find((name) => fields[name].test(cell.trim())),
  )
  const hasHead = head.includes('name')
  const order: readonly (FieldName | undefined)[] = hasHead ? head : ['name', 'organisation', 'groups', 'accounts']
  const cellOf = (row: readonly string[], name: FieldName) => (row[order.indexOf(name)] ?? '').trim()
  return rows
    .map((row, at) => ({
      line: lines[at]!,
      name: cellOf(row, 'name'),
      organisation: cellOf(row, 'organisation'),
      groups: cellOf(row, 'groups'),
      accounts: cellOf(row, 'accounts'),
      id: cellOf(row, 'id'),
    }))
    .slice(hasHead ? 1 : 0)
    .filter(({ name, id, organisation }) => name || id || organisation)
}

const split = (text: string): readonly string[] => text.split(/[\s,;|]+/).filter(Boolean)
const splitNames = (text: string): readonly string[] =>
  text
    .split(/[,;|]/)
    .map((one) => one.trim())
    .filter(Boolean)

async function isThere(login: string): Promise<boolean> {
  try {
    await findPerson(login)
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 404) return false
    throw error
  }
}

/** Missing logins are generated from the contest and the team: `finals-t7`. */
export async function planTeams(text: string, contest: Contest, present: readonly Team[]): Promise<PlannedTeam[]> {
  const rows = readRows(text)
  if (rows.length > mostTeams) throw new Fault(0, `A contest has at most ${mostTeams.toLocaleString('en')} teams.`)
  const byName = new Map(present.map((team) => [team.Name.toLowerCase(), team]))
  const usedIds = new Set(present.map(({ ID }) => ID))
  const inTeam = new Map(
    present.flatMap(({ ID, AccountNameList }) => AccountNameList.map((name) => [name.toLowerCase(), ID] as const)),
  )
  const known = new Map<string, boolean>()
  const planned: PlannedTeam[] = []
  const seenNames = new Set<string>()
  let number = 1
  for (const row of rows) {
    const before = byName.get(row.name.toLowerCase())
    let id = before?.ID ?? row.id
    if (!id) {
      while (usedIds.has(`t${number}`)) number++
      id = `t${number}`
    }
    const given = split(row.accounts)
    const accounts: PlannedAccount[] = []
    for (const login of given) {
      const key = login.toLowerCase()
      if (!known.has(key)) known.set(key, loginPattern.test(login) && (await isThere(login)))
      accounts.push({ login, isNew: !known.get(key) })
    }
    if (given.length === 0)
      if (before) accounts.push(...before.AccountNameList.map((login) => ({ login, isNew: false })))
      else accounts.push({ login: `${toId(contest.ID).slice(0, 39 - id.length - 1)}-${toId(id)}`, isNew: true })
    const other = accounts.find(({ login }) => (inTeam.get(login.toLowerCase()) ?? id) !== id)
    const wrong = accounts.find(({ login }) => !loginPattern.test(login))
    const reason =
      row.name === ''
        ? 'It has no name.'
        : seenNames.has(row.name.toLowerCase())
          ? 'This name is in the list twice.'
          : !idPattern.test(id)
            ? `“${id}” can’t be an ID.`
            : !before && usedIds.has(id)
              ? `Another team has the ID ${id}.`
              : wrong
                ? `“${wrong.login}” can’t be a login.`
                : other
                  ? `${other.login} is in another team.`
                  : ''
    if (!reason) {
      seenNames.add(row.name.toLowerCase())
      usedIds.add(id)
      for (const { login } of accounts) inTeam.set(login.toLowerCase(), id)
    }
    const act = reason ? 'refuse' : before ? 'update' : 'create'
    const { line, name, organisation, groups } = row
    planned.push({ line, id, name, organisation, groups: splitNames(groups), accounts, act, reason })
  }
  return planned
}
