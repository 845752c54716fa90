/**
 * Derives a login from a person's name or email address: `Anna Müller` becomes `anna-mueller`, the next one
 * `anna-mueller-2`.
 */
import { spellLatin } from '../../../lib/text/latin.ts'

const longest = 39

/** A roster name has at most 64 characters. */
const mostRead = 200

const toLogin = (text: string): string => spellLatin(text.slice(0, mostRead), longest)

/** A name in letters that have no Latin spelling here is replaced by the email's local part, then by the number. */
export const baseLogin = ({
  rosterName,
  email,
  number,
}: {
  rosterName: string
  email: string
  number: string
}): string =>
  toLogin(rosterName) || toLogin(email.split('@')[0]!) || toLogin(number && `student-${number}`) || 'student'

/** `anna`, `anna-2`, `anna-3`, …: the login with this count. */
export function numberLogin(base: string, count: number): string {
  const ending = count === 1 ? '' : `-${count}`
  return base.slice(0, longest - ending.length).replace(/-+$/, '') + ending
}

/** The first login that is free. */
export function pickLogin(base: string, isTaken: (login: string) => boolean): string {
  for (let count = 1; ; count++) {
    const login = numberLogin(base, count)
    if (!isTaken(login)) return login
  }
}
