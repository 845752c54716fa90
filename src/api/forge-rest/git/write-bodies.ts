/** Bodies of requests that write to git. */
import type { Static } from 'typebox'
import { invalidField } from '../../../forge/failures.ts'
import type { GivenSignature } from '../../../forge/git/write/signing.ts'
import { decodeBase64 } from '../../../lib/text/base64.ts'
import { parseTime } from '../query.ts'
import { Optional, Shape, Text, Type } from '../schemas.ts'

/** A file of 30 MiB fits as Base64 in JSON; larger ones need git itself. */
export const maxFileBodyBytes = 42 * 1024 * 1024

/** Only the body's limit bounds it: counting its characters would take longer than everything else. */
export const FileText = Type.String({ format: 'bytes' })
export const Message = Text(65_536)
export const Sha = Text(64)

export const SignatureBody = Shape({ name: Text(255), email: Text(255), date: Optional(Text(40)) })
/** A change of a file may omit any part of the signature. */
export const PartialSignatureBody = Shape({
  name: Optional(Text(255)),
  email: Optional(Text(255)),
  date: Optional(Text(40)),
})

export function readSignature(
  field: string,
  given: Static<typeof PartialSignatureBody> | undefined,
): GivenSignature | undefined {
  if (!given) return undefined
  const { name, email, date } = given
  return { name, email, date: date === undefined ? undefined : parseTime(`${field}.date`, date) }
}

/** Base64 in either alphabet, with or without line ends, blanks and padding; anything else is refused. */
export async function readBase64(field: string, text: string): Promise<Buffer> {
  const bytes = await decodeBase64(text)
  if (!bytes) throw invalidField(field, 'invalid', `${field} is not valid Base64`)
  return bytes
}
