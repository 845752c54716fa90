/** Who may see and who may teach a class. For everybody else it does not exist. */
import { type Actor, isAdmin, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { ClassRef, TaughtClass } from './class.ts'

export type ClassAccess = ReturnType<typeof makeClassAccess>

export function makeClassAccess({ db }: Pick<Store, 'db'>) {
  const findRow = prepareQuery(db, ({ publicId, accountId }: { publicId: string; accountId: number }) =>
    db
      .selectFrom('class')
      .leftJoin('class_member', (join) =>
        join.onRef('class_member.class_id', '=', 'class.id').on('class_member.account_id', '=', accountId),
      )
      .select(['class.id', 'class.public_id', 'class.name', 'class.is_archived', 'class_member.role'])
      .select('class_member.is_invited')
      .where('class.public_id', '=', publicId),
  )

  /** For members and admins. */
  async function find(actor: SignedIn, publicId: string, within: Db = db): Promise<ClassRef> {
    const [row] = await findRow({ publicId, accountId: actor.account.id }, within)
    const role = isAdmin(actor) ? 'teacher' : demotedRole(actor, row?.role)
    if (!row || !role) throw unknownClass(publicId)
    const isInvited = role === 'student' && row.is_invited === 1
    return { id: row.id, publicId: row.public_id, name: row.name, isArchived: row.is_archived === 1, role, isInvited }
  }

  return {
    find,

    /** For teachers and admins. */
    async teach(actor: Actor, publicId: string, within?: Db): Promise<TaughtClass> {
      requireSignIn(actor)
      const found = await find(actor, publicId, within)
      demand(found.role === 'teacher', 'forbidden', 'not-a-teacher', 'Only the teachers of this class may do that.')
      return { ...found, role: 'teacher', actor }
    },
  }
}

/** A teacher must be a problem setter or an admin: an account that lost that role teaches nothing. */
const demotedRole = ({ account }: SignedIn, role: ClassRef['role'] | null | undefined) =>
  role === 'teacher' && account.role !== 'problem_setter' ? undefined : (role ?? undefined)

/** Those of these accounts that were created by a roster of a class of this teacher, even if they have left it. */
export async function findCreatedBy(db: Db, teacherId: number, accountIds: readonly number[]): Promise<Set<number>> {
  if (accountIds.length === 0) return new Set()
  const present = db
    .selectFrom('class_member as student')
    .innerJoin('class_member as teacher', 'teacher.class_id', 'student.class_id')
    .select('student.account_id as id')
    .where('student.account_id', 'in', accountIds)
    .where('student.is_created_here', '=', 1)
    .where('teacher.account_id', '=', teacherId)
    .where('teacher.role', '=', 'teacher')
  const left = db
    .selectFrom('class_left')
    .innerJoin('class_member as teacher', 'teacher.class_id', 'class_left.class_id')
    .select('class_left.account_id as id')
    .where('class_left.account_id', 'in', accountIds)
    .where('class_left.is_created_here', '=', 1)
    .where('teacher.account_id', '=', teacherId)
    .where('teacher.role', '=', 'teacher')
  const rows = await present.union(left).execute()
  return new Set(rows.map(({ id }) => id))
}

export const unknownClass = (publicId: string) =>
  new Failure('not-found', 'class-unknown', `There is no class ${publicId}.`)
