/**
 * A zip as a param: Base64 text, or the file that a large body was decoded into. Errors inside it are reported under
 * the param's name.
 */

import type { Zip } from '../../judge/archive/archive.ts'
import type { Limits } from '../../judge/limits.ts'
import { Failure } from '../../lib/failure.ts'
import { invalidParams } from './method.ts'
import { base64Length } from './shapes/basic-shapes.ts'
import { decodeBase64 } from './uploads/base64.ts'
import type { Uploads } from './uploads/large-body.ts'

type ZipParam = { readonly name: string; readonly text: string; readonly uploads: Uploads; readonly limits: Limits }

export async function withZip<T>(param: ZipParam, act: (zip: Zip) => Promise<T>): Promise<T> {
  const zip = findZip(param)
  try {
    return await act(zip)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid') throw error
    const { name: field } = param
    const reason = error.message
    throw new Failure('invalid', 'bad-archive', `${field}: ${reason}`, { faults: [{ field, reason }] })
  }
}

/** A large body's text was decoded as it arrived; the param then holds its mark. */
function findZip({ name: field, text, uploads, limits }: ZipParam): Zip {
  const { textBytes, bytes } = uploads.get(text) ?? { textBytes: text.length, bytes: decodeBase64(text) }
  const most = base64Length(limits.archiveBytes)
  if (textBytes > most) throw invalidParams([{ field, reason: `must have at most ${most} bytes` }])
  if (bytes) return bytes
  throw invalidParams([
    { field, reason: 'must be base64 of the alphabet with + and /, padded and without line breaks' },
  ])
}
