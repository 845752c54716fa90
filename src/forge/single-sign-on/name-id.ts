/** The subject of a SAML assertion: its name with format and qualifiers, encoded without ambiguity. */
import { longestSubject } from './protocol.ts'

export type NameId = {
  readonly name: string
  readonly format: string | undefined
  readonly nameQualifier: string | undefined
  readonly spNameQualifier: string | undefined
}

/** In effect where none is given (SAML core, section 2.2.2). */
const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'
/** Another one at each sign-on (SAML core, section 8.3.8): nobody can be known again by it. */
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** As it is kept. The same name in another format or domain is another person. */
export function toSubject({ name, format = unspecified, nameQualifier, spNameQualifier }: NameId): string {
  if (format === transient) throw new Error('the assertion names somebody for this once')
  const subject = JSON.stringify([name, format, nameQualifier ?? null, spNameQualifier ?? null])
  if (name === '' || Buffer.byteLength(subject) > longestSubject) throw new Error('the assertion names nobody')
  return subject
}

/**
 * As it was kept before it had format and qualifiers of its own: joined by spaces, the qualifiers only where a format was
 * given. An account that is known so is kept as `toSubject` has it from its next sign-on.
 */
export function listFormerSubjects(subject: string): string[] {
  // One that a server of an earlier release took, while this one was started beside it.
  if (!subject.startsWith('[')) return []
  const [name = '', format, ...qualifiers] = JSON.parse(subject) as (string | null)[]
  const joined = [name, ...qualifiers].filter(Boolean).join(' ')
  const former = format === unspecified ? [joined, name ?? ''] : [joined]
  // Such a row is as `toSubject` writes it, of somebody else.
  return former.filter((each) => !each.startsWith('['))
}
