/**
 * Derives a login from a person's name or email address: `Anna Müller` becomes `anna-mueller`, the next one
 * `anna-mueller-2`.
 */

const longest = 39

/**
 * Letters that Unicode does not decompose into a base letter and an accent, and those that German writes as two
 * letters.
 */
const spelled: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'oe',
  å: 'aa',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
}

/** A roster name has at most 64 characters. */
const mostRead = 200

const toLogin = (text: string): string =>
  text
    .slice(0, mostRead)
    .normalize('NFC')
    .toLowerCase()
    .replace(/./gsu, (letter) => spelled[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '')

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
