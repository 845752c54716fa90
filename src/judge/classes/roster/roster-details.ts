/** Keeps what a roster tells of students besides their names. */
import type { Db } from '../../../store/schema/schema.ts'
import type { RosterEntry } from './roster-text.ts'

const longest = 256
/** Longer texts, and those with NUL, which PostgreSQL refuses, are not kept: they are no name, number or address. */
const keep = (text: string): string => (text.length > longest || text.includes('\0') ? '' : text)

type Told = Pick<RosterEntry, 'givenName' | 'familyName' | 'number' | 'email'> & { readonly id: number }

export async function putDetails(trx: Db, classId: number, students: readonly Told[]): Promise<void> {
  for (const { id, givenName, familyName, number, email } of students) {
    const told = {
      given_name: keep(givenName),
      family_name: keep(familyName),
      student_number: keep(number),
      email: keep(email.toLowerCase()),
    }
    if (!Object.values(told).some(Boolean)) continue
    await trx
      .insertInto('roster_detail')
      .values({ class_id: classId, account_id: id, ...told })
      .onConflict((conflict) => conflict.columns(['class_id', 'account_id']).doUpdateSet(told))
      .execute()
  }
}
