/** The subject of a SAML assertion: its name with format and qualifiers, encoded without ambiguity. */
import { longestSubject } from './protocol.ts'

export type NameId = {
  readonly name: string
  readonly format: string | undefined
  readonly nameQualifier: string | undefined
  readonly spNameQualifier: string | undefined
}

/** The default format (SAML core, section 2.2.2). */
const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'
/** Differs at each sign-on (SAML core, section 8.3.8), so it cannot identify anybody later. */
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** The stored form. The same name in another format or domain is another person. */
export function toSubject({ name, format = unspecified, nameQualifier, spNameQualifier }: NameId): string {
  if (format === transient) throw new Error('the assertion names somebody for this once')
  const subject = JSON.stringify([name, format, nameQualifier ?? null, spNameQualifier ?? null])
  if (name === '' || Buffer.byteLength(subject) > longestSubject) throw new Error('the assertion names nobody')
  return subject
}

/**
 * The forms of earlier releases: parts joined by spaces, with qualifiers only if a format was given. Such an account is
 * stored in the form of `toSubject` at its next sign-on.
 */
export function listFormerSubjects(subject: string): string[] {
  // A subject in the old form, stored by a server of an earlier release that runs beside this one.
  if (!subject.startsWith('[')) return []
  const [name = '', format, ...qualifiers] = JSON.parse(subject) as (string | null)[]
  const joined = [name, ...qualifiers].filter(Boolean).join(' ')
  const former = format === unspecified ? [joined, name ?? ''] : [joined]
  // A value in the form of `toSubject` belongs to somebody else.
  return former.filter((each) => !each.startsWith('['))
}
