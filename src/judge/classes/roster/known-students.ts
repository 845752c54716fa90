/** Recognises students of a roster who are in other classes of the teacher, so that nobody gets a second account. */
import type { Db } from '../../../store/schema/schema.ts'
import type { RosterEntry } from './roster-text.ts'

export type KnownBy = 'number' | 'email' | 'name'

/** A student of another class who may be the person of a line. */
export type KnownStudent = {
  readonly id: number
  readonly accountName: string
  readonly rosterName: string
  readonly className: string
  readonly by: KnownBy
}

export type KnownStudents = {
  /** The one who is certain enough to be offered by default. */
  find(entry: RosterEntry): KnownStudent | undefined
  /** Everybody of this name, if several are: only the teacher can tell them apart. */
  listNamesakes(entry: RosterEntry): readonly KnownStudent[]
}

const atOnce = 200
/** More of one name are not offered. */
const mostNamesakes = 10

/** `teacherId` null: an admin, who teaches every class. */
export async function findKnownStudents(
  db: Db,
  { classId, teacherId }: { classId: number; teacherId: number | null },
  entries: readonly RosterEntry[],
): Promise<KnownStudents> {
  const found = new Map<string, KnownStudent[]>()
  for (let at = 0; at < entries.length; at += atOnce) {
    const part = entries.slice(at, at + atOnce)
    const [names, numbers, emails] = [
      part.map(({ rosterName }) => rosterName),
      part.map(({ number }) => number),
      part.map(({ email }) => email.toLowerCase()),
    ].map((texts) => texts.filter((text) => text !== '' && !text.includes('\0'))) as [string[], string[], string[]]
    const rows = await db
      .selectFrom('class_member as student')
      .innerJoin('class', 'class.id', 'student.class_id')
      .innerJoin('account', 'account.id', 'student.account_id')
      .leftJoin('roster_detail', (join) =>
        join
          .onRef('roster_detail.class_id', '=', 'student.class_id')
          .onRef('roster_detail.account_id', '=', 'student.account_id'),
      )
      .select(['account.id', 'account.name as accountName', 'student.roster_name as rosterName'])
      .select(['class.name as className', 'roster_detail.student_number', 'roster_detail.email'])
      .where('student.class_id', '!=', classId)
      .where('student.role', '=', 'student')
      .$if(teacherId !== null, (query) =>
        query.where('student.class_id', 'in', (eb) =>
          eb
            .selectFrom('class_member as own')
            .select('own.class_id')
            .where('own.account_id', '=', teacherId!)
            .where('own.role', '=', 'teacher'),
        ),
      )
      .where((eb) =>
        eb.or([
          ...(names.length > 0 ? [eb('student.roster_name', 'in', names)] : []),
          ...(numbers.length > 0 ? [eb('roster_detail.student_number', 'in', numbers)] : []),
          ...(emails.length > 0 ? [eb('roster_detail.email', 'in', emails)] : []),
        ]),
      )
      .orderBy('class.id', 'desc')
      .execute()
    for (const { student_number, email, ...student } of rows) {
      const note = (by: KnownBy, text: string | null) => {
        if (text) found.set(`${by} ${text}`, [...(found.get(`${by} ${text}`) ?? []), { ...student, by }])
      }
      note('number', student_number)
      note('email', email)
      note('name', student.rosterName)
    }
  }
  /** Two people of one name are told apart by nobody but the teacher. */
  const pick = (by: KnownBy, text: string): KnownStudent | undefined => {
    const [first, ...others] = text ? (found.get(`${by} ${text}`) ?? []) : []
    return others.every(({ id }) => id === first?.id) ? first : undefined
  }
  return {
    find: ({ number, email, rosterName }) =>
      pick('number', number) ?? pick('email', email.toLowerCase()) ?? pick('name', rosterName),
    listNamesakes: ({ rosterName }) =>
      [...new Map(found.get(`name ${rosterName}`)?.map((one) => [one.id, one])).values()].slice(0, mostNamesakes),
  }
}
