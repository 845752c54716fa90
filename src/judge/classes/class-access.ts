/** Access to classes: to see one, and to teach one. For everybody else a class does not exist. */
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

export const unknownClass = (publicId: string) =>
  new Failure('not-found', 'class-unknown', `There is no class ${publicId}.`)
