/** A request's body: read to its limit, parsed as JSON whatever its type says, held against the route's schema. */
import type { Readable } from 'node:stream'
import type { ErrorObject } from 'ajv'
import { Failure, type FieldFault } from '../../../base/failure.ts'
import { describeFault, type FindFaults } from '../../json-schema.ts'

/** `take` hears of how much is held, and may refuse more. */
export async function readBody(
  stream: Readable | undefined,
  maxBytes: number,
  take: (size: number) => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // Left in one piece when there is too much of it: the answer still has to go out beside it.
    for await (const chunk of stream?.iterator({ destroyOnReturn: false }) ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new Failure('invalid', 'too-large', `The body is over ${maxBytes} bytes.`)
      take(size)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    // Nothing but the client's own leaving fails here.
    throw new Failure('invalid', 'bad-request', 'The body broke off.')
  }
  return Buffer.concat(chunks)
}

/** An empty body is an empty object. */
export function parseBody(bytes: Buffer, takesArray: boolean): unknown {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new Failure('invalid', 'bad-request', 'Problems parsing JSON')
  }
  if (typeof value === 'object' && value !== null && (takesArray || !Array.isArray(value))) return value
  throw new Failure('invalid', 'bad-request', 'Body should be a JSON object')
}

export function demandValid(findFaults: FindFaults, body: unknown): void {
  const found = findFaults(body)
  if (found.length === 0) return
  const faults = new Map<string, FieldFault>()
  for (const fault of found.filter(({ keyword }) => keyword !== 'anyOf').map(toFault))
    if (faults.size < maxFaults && !faults.has(fault.field)) faults.set(fault.field, fault)
  throw new Failure('invalid', 'validation-failed', 'Validation Failed', { faults: [...faults.values()] })
}

/** More help nobody; nor does a second one of the same field. */
const maxFaults = 20

function toFault(error: ErrorObject): FieldFault {
  const { field, isMissing, reason } = describeFault(error)
  return { field, code: isMissing ? 'missing_field' : 'invalid', reason: `${field} ${reason}` }
}
