/** Imports a roster into a class: previews the changes, or makes all of them in one transaction. */
import type { Insertable } from 'kysely'
import type { Accounts } from '../../../accounts/accounts.ts'
import { type Actor, isAdmin } from '../../../accounts/actor.ts'
import { generatePassword } from '../../../accounts/generated-password.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { ClassMemberTable } from '../../../store/schema/class-tables.ts'
import type { Store } from '../../../store/store.ts'
import { findCreated } from '../../account-access/created-accounts.ts'
import type { Limits } from '../../limits.ts'
import type { ClassAccess } from '../class-access.ts'
import { type Classes, withMembersLock } from '../classes.ts'
import { takeLeft } from '../left-students.ts'
import type { ColumnFields } from './column-fields.ts'
import { putDetails } from './roster-details.ts'
import { planRoster, type RosterRow } from './roster-plan.ts'
import { type RosterText, readRoster } from './roster-text.ts'

export type RosterRequest = {
  readonly text: string
  readonly mapping?: ColumnFields
  readonly isDryRun: boolean
  /** The lines whose known account joins, instead of a new one. */
  readonly takenLines?: readonly number[]
  /** The login of a line, instead of the one in the text. */
  readonly logins?: ReadonlyMap<number, string>
}

/** `password`: of a newly created account. It is returned only once. */
export type ImportedRow = RosterRow & { readonly password?: string }

export type RosterImport = Pick<RosterText, 'headers' | 'fields'> & { readonly rows: readonly ImportedRow[] }

type Needs = {
  store: Store
  clock: Clock
  access: ClassAccess
  accounts: Pick<Accounts, 'prepareMany'>
  limits: Pick<Limits, 'rosterRows'>
  demandSpace: Classes['demandSpace']
}

export function makeRosterImport({ store, clock, access, accounts, limits, demandSpace }: Needs) {
  return async (actor: Actor, publicId: string, request: RosterRequest): Promise<RosterImport> => {
    const { text, mapping, isDryRun, takenLines = [], logins } = request
    const taught = await access.teach(actor, publicId)
    const { entries: read, headers, fields } = readRoster(text, mapping)
    const entries = read.map((entry) => ({ ...entry, login: logins?.get(entry.line) ?? entry.login }))
    const tooLong = `A roster has at most ${limits.rosterRows} rows: import it in parts.`
    demand(entries.length <= limits.rosterRows, 'limited', 'roster-too-long', tooLong)
    const taken = new Set(takenLines)
    const teacherId = isAdmin(taught.actor) ? null : taught.actor.account.id
    const plan = await planRoster(store.db, { classId: taught.id, teacherId }, entries, taken)
    if (isDryRun) return { headers, fields, rows: plan }

    const notArchived = 'This class is archived: restore it before you add anyone.'
    demand(!taught.isArchived, 'precondition', 'class-archived', notArchived)
    const passwords = new Map(plan.filter(({ act }) => act === 'create').map(({ line }) => [line, generatePassword()]))
    const createWithin = await accounts.prepareMany(taught.actor, [...passwords.values()])
    const rows = await store.write(async (trx) => {
      const { id: classId } = await access.teach(actor, publicId, trx)
      const settled = await planRoster(trx, { classId, teacherId }, entries, taken)
      demand(
        isSame(plan, settled),
        'conflict',
        'roster-changed',
        'Accounts or members have changed in the meantime: import again.',
      )
      const added = settled.filter(({ act }) => act !== 'refuse')
      await demandSpace(trx, classId, added.length)
      const joining = added.flatMap(({ accountId }) => accountId ?? [])
      const own = await findCreated(trx, taught.actor.account.id, joining)
      const members: Insertable<ClassMemberTable>[] = []
      // One moment for all: the import is undone by it.
      const joinedAt = clock.now()
      for (const { line, accountName, rosterName, act, accountId } of added) {
        const draft = { name: accountName, displayName: rosterName, role: 'contestant' as const }
        const id = act === 'join' ? accountId! : (await createWithin(trx, draft, passwords.get(line)!)).id
        members.push({
          class_id: classId,
          account_id: id,
          role: 'student' as const,
          roster_name: rosterName,
          is_created_here: act === 'create' ? 1 : await takeLeft(trx, classId, id),
          is_put_in: Number(act === 'join'),
          is_invited: Number(act === 'join' && !isAdmin(taught.actor) && !own.has(id)),
          joined_at: joinedAt,
        })
      }
      if (members.length > 0) await trx.insertInto('class_member').values(members).execute()
      const byLine = new Map(entries.map((entry) => [entry.line, entry]))
      await putDetails(
        trx,
        classId,
        added.map(({ line }, at) => ({ id: members[at]!.account_id, ...byLine.get(line)! })),
      )
      return settled
    }, withMembersLock(taught.id))
    return { headers, fields, rows: rows.map((row) => withPassword(row, passwords.get(row.line))) }
  }
}

const withPassword = (row: RosterRow, password: string | undefined): ImportedRow =>
  password === undefined ? row : { ...row, password }

const isSame = (a: readonly RosterRow[], b: readonly RosterRow[]): boolean =>
  a.every(({ act, accountName }, at) => b[at]!.act === act && b[at]!.accountName === accountName)
