/** Plans what an import of a roster does with each row: create an account, let an existing one join, or refuse. */
import { isAccountName } from '../../../accounts/account-rules.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { findKnownStudents, type KnownStudent } from './known-students.ts'
import { baseLogin, numberLogin, pickLogin } from './logins.ts'
import type { RosterEntry } from './roster-text.ts'

export type RosterRow = {
  readonly line: number
  readonly accountName: string
  readonly rosterName: string
  readonly act: 'create' | 'join' | 'refuse'
  /** The reason of a refusal; empty otherwise. */
  readonly reason: string
  /** Set for an account that joins. */
  readonly accountId?: number
  /** A student of another class of the teacher who may be the same person, although no login says so. */
  readonly known?: KnownStudent
  /** Several students of other classes of the teacher who have the name of this line. */
  readonly namesakes?: readonly KnownStudent[]
  /** Refused, but a login that the teacher gives helps. */
  readonly needsLogin?: true
}

const longestName = 64

type Place = { readonly classId: number; readonly teacherId: number | null }

/** `taken`: the lines for which the teacher takes the known account. */
export async function planRoster(
  db: Db,
  place: Place,
  entries: readonly RosterEntry[],
  taken: ReadonlySet<number>,
): Promise<RosterRow[]> {
  const { classId } = place
  const members = await db
    .selectFrom('class_member')
    .select(['account_id', 'roster_name'])
    .where('class_id', '=', classId)
    .execute()
  const memberIds = new Set(members.map(({ account_id }) => account_id))
  const memberNames = new Set(members.map(({ roster_name }) => roster_name.toLowerCase()))
  const accounts = await findAccounts(db, entries)
  const students = await findKnownStudents(db, place, entries)
  const joiningIds = new Set<number>()
  const given = new Map<string, number>()
  for (const { login, line } of entries)
    if (login && !given.has(login.toLowerCase())) given.set(login.toLowerCase(), line)
  const made = new Set<string>()
  const isTaken = (login: string) => accounts.has(login) || given.has(login) || made.has(login)

  return entries.map((entry): RosterRow => {
    const { line, login } = entry
    const rosterName = nameOf(entry)
    const refuse = (reason: string, accountName = login): RosterRow => ({
      line,
      accountName,
      rosterName,
      act: 'refuse',
      reason,
    })
    const askForLogin = (reason: string, accountName = login): RosterRow => ({
      ...refuse(reason, accountName),
      needsLogin: true,
    })
    if (!rosterName) return refuse('There is no name in this line.')
    if (rosterName.length > longestName) return refuse(`The name is longer than ${longestName} characters.`)
    const isFree = ({ id }: KnownStudent) => !memberIds.has(id) && !joiningIds.has(id)
    const found = students.find({ ...entry, rosterName })
    const known = found && isFree(found) ? found : undefined
    const namesakes = found ? [] : students.listNamesakes({ ...entry, rosterName }).filter(isFree)
    const create = (accountName: string): RosterRow => {
      if (!known && taken.has(line))
        return refuse('No account of this student is known any more: preview the list again.')
      if (!known || !taken.has(line)) {
        made.add(accountName)
        return { line, accountName, rosterName, act: 'create', reason: '', namesakes, ...(known && { known }) }
      }
      joiningIds.add(known.id)
      return { line, accountName: known.accountName, rosterName, act: 'join', reason: '', accountId: known.id, known }
    }
    if (!login) {
      if (memberNames.has(rosterName.toLowerCase()))
        return askForLogin('Someone of this name is in the class already: give a login to add another.')
      return create(pickLogin(baseOf(entry), isTaken))
    }
    if (!isAccountName(login))
      return askForLogin('A login has 1 to 39 letters, digits or hyphens, with no hyphen at an end.')
    if (given.get(login.toLowerCase()) !== line) return askForLogin('This login is in the list twice.')
    const account = accounts.get(login.toLowerCase())
    if (!account) return create(login)
    if (memberIds.has(account.id) || joiningIds.has(account.id))
      return refuse('This account is in the class already.', account.name)
    if (account.kind !== 'user' || account.role === 'worker')
      return askForLogin('This login belongs to an organisation or a program.', account.name)
    joiningIds.add(account.id)
    return { line, accountName: account.name, rosterName, act: 'join', reason: '', accountId: account.id }
  })
}

type Known = { readonly id: number; readonly name: string; readonly kind: string; readonly role: string }

const loginsAtOnce = 100

/** Accounts by lower-case login: those that rows name, and those that conflict with derived logins. */
async function findAccounts(db: Db, entries: readonly RosterEntry[]): Promise<Map<string, Known>> {
  const found = new Map<string, Known>()
  const look = async (logins: readonly string[]): Promise<number> => {
    const rows = await db
      .selectFrom('account')
      .select(['id', 'name', 'name_key', 'kind', 'role'])
      .where('name_key', 'in', logins)
      .execute()
    for (const row of rows) found.set(row.name_key, row)
    return rows.length
  }
  const given = [...new Set(entries.filter(({ login }) => login).map(({ login }) => login.toLowerCase()))]
  for (let at = 0; at < given.length; at += loginsAtOnce) await look(given.slice(at, at + loginsAtOnce))
  const wanted = new Map<string, number>()
  for (const entry of entries)
    if (!entry.login) wanted.set(baseOf(entry), (wanted.get(baseOf(entry)) ?? given.length) + 1)
  for (const [base, count] of wanted) {
    let free = 0
    for (let from = 1; free < count; from += loginsAtOnce) {
      const logins = Array.from({ length: loginsAtOnce }, (_, at) => numberLogin(base, from + at))
      free += loginsAtOnce - (await look(logins))
    }
  }
  return found
}

const baseOf = (entry: RosterEntry): string => baseLogin({ ...entry, rosterName: nameOf(entry) })

const nameOf = ({ rosterName, login, email }: RosterEntry): string => rosterName || login || email.split('@')[0]!
