/** Classes: created by setters and admins, joined by students, read by their members. */
import { type Account, type Actor, isAdmin, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demandWithin } from '../../accounts/quotas.ts'
import type { Lockout } from '../../accounts/sign-in/lockout.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import type { Limits } from '../limits.ts'
import { type Class, type ClassRef, foldName } from './class.ts'
import type { ClassAccess } from './class-access.ts'
import { generateJoinCode, normalizeJoinCode } from './join-codes.ts'
import { takeLeft } from './left-students.ts'

export type ClassDraft = { readonly publicId: string; readonly name: string; readonly hasJoinCode: boolean }
export type ClassChange = { readonly name?: string; readonly isArchived?: boolean; readonly hasJoinCode?: boolean }

type Needs = {
  store: Store
  clock: Clock
  access: ClassAccess
  limits: Pick<Limits, 'classesTaught' | 'classMembers'>
  /** Counts wrong join codes per account. */
  lockout: Lockout
}

export type Classes = ReturnType<typeof makeClasses>

/** Changes of a class's members hold this lock, so that counts and the check for a last teacher are correct. */
export const withMembersLock = (classId: number) => ({ locks: [`class-members:${classId}`] })

export function makeClasses({ store, clock, access, limits, lockout }: Needs) {
  async function read(ref: Standing & Pick<ClassRef, 'id'>, db: Db = store.db): Promise<Class> {
    const [found] = await readMany([ref.id], () => ref, db)
    return found!
  }

  async function readMany(
    ids: readonly number[],
    standIn: (id: number) => Standing,
    db: Db = store.db,
  ): Promise<Class[]> {
    if (ids.length === 0) return []
    const rows = await db.selectFrom('class').selectAll().where('id', 'in', ids).execute()
    const teachers = await db
      .selectFrom('class_member')
      .innerJoin('account', 'account.id', 'class_member.account_id')
      .select(['class_member.class_id', 'account.name', 'account.display_name as displayName'])
      .where('class_member.class_id', 'in', ids)
      .where('class_member.role', '=', 'teacher')
      .orderBy('class_member.joined_at')
      .orderBy('account.id')
      .execute()
    const students = await db
      .selectFrom('class_member')
      .select((eb) => ['class_id', eb.fn.countAll<number>().as('count')])
      .where('class_id', 'in', ids)
      .where('role', '=', 'student')
      .groupBy('class_id')
      .execute()
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.flatMap((id) => {
      const row = byId.get(id)
      if (!row) return []
      return {
        id,
        publicId: row.public_id,
        name: row.name,
        teachers: teachers.filter(({ class_id }) => class_id === id),
        studentCount: Number(students.find(({ class_id }) => class_id === id)?.count ?? 0),
        joinCode: standIn(id).role === 'teacher' ? row.join_code : null,
        isArchived: row.is_archived === 1,
        isInvited: standIn(id).isInvited,
      }
    })
  }

  async function insert(trx: Db, { account }: SignedIn, { publicId, name, hasJoinCode }: ClassDraft): Promise<Class> {
    const { count } = await trx
      .selectFrom('class_member')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', account.id)
      .where('role', '=', 'teacher')
      .executeTakeFirstOrThrow()
    demandWithin(Number(count), limits.classesTaught, 'classes')
    const now = clock.now()
    const { id } = await trx
      .insertInto('class')
      .values({ public_id: publicId, name, join_code: hasJoinCode ? generateJoinCode() : null, created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('class_member')
      .values({
        class_id: id,
        account_id: account.id,
        role: 'teacher',
        roster_name: account.displayName,
        joined_at: now,
      })
      .execute()
    return read({ id, role: 'teacher', isInvited: false }, trx)
  }

  const listIds = ({ account }: SignedIn, all: boolean) => {
    const query = store.db.selectFrom('class')
    if (all) return query
    return query.where('class.id', 'in', (eb) =>
      eb.selectFrom('class_member').select('class_id').where('account_id', '=', account.id),
    )
  }

  return {
    async create(actor: Actor, draft: ClassDraft): Promise<Class> {
      requireAct(actor, 'teach')
      try {
        return await store.write((trx) => insert(trx, actor, draft), { locks: [`classes-of:${actor.account.id}`] })
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new Failure('conflict', 'class-taken', `The ID ${draft.publicId} is taken: choose another.`)
      }
    },

    async get(actor: Actor, publicId: string): Promise<Class> {
      requireSignIn(actor)
      return read(await access.find(actor, publicId))
    },

    /** Newest first: the classes of the actor; all for an admin. */
    async list(actor: Actor, { offset, limit }: PageRequest): Promise<Page<Class>> {
      requireSignIn(actor)
      const query = listIds(actor, isAdmin(actor))
      const { count } = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await query
        .leftJoin('class_member as own', (join) =>
          join.onRef('own.class_id', '=', 'class.id').on('own.account_id', '=', actor.account.id),
        )
        .select(['class.id', 'own.role', 'own.is_invited'])
        .orderBy('class.id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute()
      const standings = new Map(
        rows.map(({ id, role, is_invited }): [number, Standing] => [
          id,
          { role: isAdmin(actor) ? 'teacher' : (role ?? 'student'), isInvited: role === 'student' && is_invited === 1 },
        ]),
      )
      const ids = rows.map(({ id }) => id)
      return { total: Number(count), items: await readMany(ids, (id) => standings.get(id)!) }
    },

    async update(actor: Actor, publicId: string, { name, isArchived, hasJoinCode }: ClassChange): Promise<Class> {
      return store.write(async (trx) => {
        const taught = await access.teach(actor, publicId, trx)
        const change = {
          ...(name !== undefined && { name }),
          ...(isArchived !== undefined && { is_archived: Number(isArchived) }),
          ...(hasJoinCode !== undefined && { join_code: hasJoinCode ? generateJoinCode() : null }),
        }
        if (Object.keys(change).length > 0)
          await trx.updateTable('class').set(change).where('id', '=', taught.id).execute()
        return read(taught, trx)
      })
    },

    async delete(actor: Actor, publicId: string): Promise<void> {
      await store.write(async (trx) => {
        const { id } = await access.teach(actor, publicId, trx)
        const sheet = await trx.selectFrom('sheet').select('id').where('class_id', '=', id).limit(1).executeTakeFirst()
        demand(!sheet, 'precondition', 'class-has-sheets', 'This class has sheets: archive it instead.')
        await trx.deleteFrom('class').where('id', '=', id).execute()
      })
    },

    /** Joins by the code that a teacher handed out. An existing member keeps their role. */
    async join(actor: Actor, joinCode: string): Promise<Class> {
      requireAct(actor, 'attend')
      const key = String(actor.account.id)
      await lockout.check(key)
      const found = await store.db
        .selectFrom('class')
        .select(['id', 'is_archived'])
        .where('join_code', '=', normalizeJoinCode(joinCode))
        .executeTakeFirst()
      await lockout.settle(key, found !== undefined)
      demand(found, 'not-found', 'join-code-unknown', 'No class has this code: ask your teacher for it.')
      demand(!found.is_archived, 'precondition', 'class-archived', 'This class is archived: nobody can join it.')
      return store.write(async (trx) => {
        const member = await trx
          .selectFrom('class_member')
          .select('role')
          .where('class_id', '=', found.id)
          .where('account_id', '=', actor.account.id)
          .executeTakeFirst()
        if (member) await acceptWithin(trx, found.id, actor)
        else {
          await demandSpace(trx, found.id, 1)
          const values = {
            class_id: found.id,
            account_id: actor.account.id,
            role: 'student' as const,
            roster_name: await nameApart(trx, found.id, actor.account),
            is_created_here: await takeLeft(trx, found.id, actor.account.id),
            joined_at: clock.now(),
          }
          await trx.insertInto('class_member').values(values).execute()
        }
        return read({ id: found.id, role: member?.role ?? 'student', isInvited: false }, trx)
      }, withMembersLock(found.id))
    },

    /** Accepts an invitation; the student is then the same as one who joined by code. */
    async accept(actor: Actor, publicId: string): Promise<Class> {
      requireAct(actor, 'attend')
      const { id } = await access.find(actor, publicId)
      return store.write(async (trx) => {
        const { role, isInvited, isArchived } = await access.find(actor, publicId, trx)
        demand(
          role === 'student',
          'precondition',
          'not-invited',
          'You are a teacher of this class: there is nothing to accept.',
        )
        demand(!isInvited || !isArchived, 'precondition', 'class-archived', 'This class is archived.')
        await acceptWithin(trx, id, actor)
        return read({ id, role, isInvited: false }, trx)
      }, withMembersLock(id))
    },

    demandSpace,
  }

  /** Refuses more members than the limit of a class. */
  async function demandSpace(trx: Db, classId: number, more: number): Promise<void> {
    const { count } = await trx
      .selectFrom('class_member')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('class_id', '=', classId)
      .executeTakeFirstOrThrow()
    const message = `A class has at most ${limits.classMembers} members.`
    demand(Number(count) + more <= limits.classMembers, 'limited', 'class-full', message)
  }
}

type Standing = Pick<ClassRef, 'role' | 'isInvited'>

/**
 * After accepting, the teachers see what the student has submitted since a sheet opened, as with one who joined by
 * code.
 */
export async function acceptWithin(trx: Db, classId: number, { account }: SignedIn): Promise<void> {
  await trx
    .updateTable('class_member')
    .set({ is_invited: 0, is_put_in: 0 })
    .where('class_id', '=', classId)
    .where('account_id', '=', account.id)
    .execute()
}

/** A student who joins by code chooses their own name: if the roster already has it, the login is appended. */
async function nameApart(trx: Db, classId: number, { id, name, displayName }: Account): Promise<string> {
  const rows = await trx
    .selectFrom('class_member')
    .select('roster_name')
    .where('class_id', '=', classId)
    .where('account_id', '!=', id)
    .execute()
  const isTaken = rows.some(({ roster_name }) => foldName(roster_name) === foldName(displayName))
  const ending = ` (${name})`
  return isTaken ? displayName.slice(0, longestRosterName - ending.length) + ending : displayName
}

const longestRosterName = 64
