/** Parses the scopes that an app asks for: known ones only, without duplicates. */
import { impliedScopes, isScope } from '../../accounts/tokens/scopes.ts'
import { Failure } from '../../lib/failure.ts'

const maxScopes = 50

/** Administering the server is for its admins in person. */
const neverGiven: ReadonlySet<string> = new Set(['site_admin'])

/** Separated by blanks, as in RFC 6749, or by commas, as many apps do. Scopes that another one implies are left out. */
export function readScopes(text: string): string[] {
  const names = [...new Set(text.split(/[\s,]+/).filter(Boolean))]
  const unknown = names.find((name) => !isScope(name) || neverGiven.has(name))
  if (unknown !== undefined || names.length > maxScopes)
    throw new Failure(
      'invalid',
      'invalid-scope',
      unknown === undefined ? 'These are too many scopes.' : `No app can be given the scope ${clean(unknown)}.`,
    )
  return simplify(names)
}

export const simplify = (names: readonly string[]): string[] =>
  names.filter((name) => !names.some((other) => other !== name && impliedScopes([other]).has(name))).sort()

export const covers = (granted: readonly string[], asked: readonly string[]): boolean => {
  const all = impliedScopes(granted)
  return asked.every((scope) => all.has(scope))
}

const clean = (text: string): string => text.slice(0, 40).replace(/[^\w:]/g, '?')
