/** Members of a class, whom its teachers add and remove. */
import { accountColumns, toAccount } from '../../accounts/account-row.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import { type Account, type Actor, isAdmin, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { findCreated, type PasswordRights } from '../account-access/created-accounts.ts'
import { type ClassMember, type ClassRole, foldName, type ListedMember } from './class.ts'
import type { ClassAccess } from './class-access.ts'
import { type Classes, withMembersLock } from './classes.ts'
import { endMembership, takeLeft } from './left-students.ts'

export type MemberDraft = { readonly accountName: string; readonly role: ClassRole; readonly rosterName?: string }

type Needs = {
  store: Store
  clock: Clock
  access: ClassAccess
  accounts: Pick<Accounts, 'findByName'>
  demandSpace: Classes['demandSpace']
  passwordRights: PasswordRights
}

export type ClassMembers = ReturnType<typeof makeClassMembers>

export function makeClassMembers(needs: Needs) {
  const { store, clock, access, accounts, demandSpace, passwordRights } = needs
  const { db } = store

  async function findUser(name: string): Promise<Account> {
    const account = await accounts.findByName(name)
    demand(account?.kind === 'user', 'not-found', 'account-unknown', `There is no account ${name}.`)
    return account
  }

  const ofClass = (classId: number, within: Db = db) =>
    within
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .where('class_member.class_id', '=', classId)

  const select = (classId: number, within?: Db) =>
    ofClass(classId, within).select([
      ...accountColumns,
      'class_member.role as class_role',
      'class_member.roster_name',
      'class_member.is_created_here',
      'class_member.is_put_in',
      'class_member.is_invited',
    ])

  async function read(trx: Db, classId: number, accountId: number): Promise<ClassMember | undefined> {
    const row = await select(classId, trx).where('account.id', '=', accountId).executeTakeFirst()
    return row && toMember(row)
  }

  async function addRights(actor: Actor, members: readonly ClassMember[]): Promise<ListedMember[]> {
    const ids = members.map(({ account }) => account.id)
    const settable = await passwordRights.find(actor, ids)
    return members.map((member) => ({ ...member, maySetPassword: settable.has(member.account.id) }))
  }

  async function demandOtherTeacher(trx: Db, classId: number, accountId: number): Promise<void> {
    const other = await ofClass(classId, trx)
      .select('account.id')
      .where('class_member.role', '=', 'teacher')
      .where('account.id', '!=', accountId)
      .limit(1)
      .executeTakeFirst()
    demand(other, 'precondition', 'last-teacher', 'This is the last teacher of the class: add another one first.')
  }

  return {
    /** Teachers first, then by roster name. */
    async list(actor: Actor, publicId: string, { offset, limit }: PageRequest): Promise<Page<ListedMember>> {
      const { id } = await access.teach(actor, publicId)
      const { count } = await ofClass(id)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      const rows = await select(id)
        .orderBy('class_member.role', 'desc')
        .orderBy('class_member.roster_name')
        .orderBy('account.id')
        .offset(offset)
        .limit(limit)
        .execute()
      return { total: Number(count), items: await addRights(actor, rows.map(toMember)) }
    },

    /**
     * A student whom a teacher adds is invited, unless that teacher or a roster of theirs created the account. A student
     * whom an admin adds is a member at once.
     */
    async put(actor: Actor, publicId: string, { accountName, role, rosterName }: MemberDraft): Promise<ListedMember> {
      const { id, actor: teacher } = await access.teach(actor, publicId)
      const account = await findUser(accountName)
      if (role === 'teacher')
        demand(mayTeach(account), 'precondition', 'not-a-setter', 'A teacher is a problem setter or an admin.')
      else demand(account.role !== 'worker', 'precondition', 'is-worker', 'This account is an executor’s.')
      const member = await store.write(async (trx) => {
        const { id: classId } = await access.teach(actor, publicId, trx)
        const before = await read(trx, classId, account.id)
        if (!before) await demandSpace(trx, classId, 1)
        if (before?.role === 'teacher' && role === 'student') await demandOtherTeacher(trx, classId, account.id)
        const teacherId = teacher.account.id
        const isOwnDoing =
          isAdmin(teacher) ||
          teacherId === account.id ||
          (await findCreated(trx, teacherId, [account.id])).has(account.id)
        const isInvited = role === 'student' && !isOwnDoing && (before?.role !== 'student' || before.isInvited)
        const standing = { role, is_invited: Number(isInvited) }
        await trx
          .insertInto('class_member')
          .values({
            ...standing,
            class_id: classId,
            account_id: account.id,
            roster_name: rosterName ?? account.displayName,
            is_put_in: 1,
            is_created_here: await takeLeft(trx, classId, account.id),
            joined_at: clock.now(),
          })
          .onConflict((conflict) =>
            conflict
              .columns(['class_id', 'account_id'])
              .doUpdateSet({ ...standing, ...(rosterName !== undefined && { roster_name: rosterName }) }),
          )
          .execute()
        return (await read(trx, classId, account.id))!
      }, withMembersLock(id))
      return (await addRights(actor, [member]))[0]!
    },

    /** Removed by a teacher. A student may also leave, since any teacher can add any account. */
    async delete(actor: Actor, publicId: string, accountName: string): Promise<void> {
      requireSignIn(actor)
      const { id, role } = await access.find(actor, publicId)
      const isLeaving = role === 'student' && actor.account.name.toLowerCase() === accountName.toLowerCase()
      if (!isLeaving) await access.teach(actor, publicId)
      const account = await findUser(accountName)
      await store.write(async (trx) => {
        const { id: classId } = await (isLeaving ? access.find : access.teach)(actor, publicId, trx)
        const before = await read(trx, classId, account.id)
        demand(before, 'not-found', 'member-unknown', `${accountName} is not in this class.`)
        if (before.role === 'teacher') await demandOtherTeacher(trx, classId, account.id)
        await endMembership(trx, { classId, accountId: account.id, leftAt: clock.now() })
      }, withMembersLock(id))
    },

    /** Whether no classmate has this name on the roster. A student may always use their own roster name. */
    async isFreeName(id: number, displayName: string): Promise<boolean> {
      const rows = await db
        .selectFrom('class_member as own')
        .innerJoin('class_member as other', 'other.class_id', 'own.class_id')
        .select(['other.account_id', 'other.roster_name'])
        .where('own.account_id', '=', id)
        .where('own.role', '=', 'student')
        .where('own.is_invited', '=', 0)
        .execute()
      const same = rows.filter(({ roster_name }) => foldName(roster_name) === foldName(displayName))
      return same.length === 0 || same.some(({ account_id }) => account_id === id)
    },
  }
}

const mayTeach = ({ role }: Account): boolean => role === 'problem_setter' || role === 'admin'

type MemberRow = Parameters<typeof toAccount>[0] & {
  class_role: ClassRole
  roster_name: string
  is_created_here: number
  is_put_in: number
  is_invited: number
}

const toMember = (row: MemberRow): ClassMember => ({
  account: toAccount(row),
  role: row.class_role,
  rosterName: row.roster_name,
  isCreatedHere: row.is_created_here === 1,
  isPutIn: row.is_put_in === 1,
  isInvited: row.class_role === 'student' && row.is_invited === 1,
})
