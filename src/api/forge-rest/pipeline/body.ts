/** The body of a request: parsed as JSON whatever its content type, validated against the route's schema. */
import type { ErrorObject } from 'ajv'
import { Failure, type FieldFault } from '../../../lib/failure.ts'
import { describeFault, type FindFaults } from '../../json/json-schema.ts'

type ParseBytes = (bytes: Buffer) => Promise<unknown>

/** An empty body is an empty object. */
export async function parseBody(bytes: Buffer, takesArray: boolean, parseJson: ParseBytes): Promise<unknown> {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = await parseJson(bytes)
  } catch (error) {
    if (error instanceof Failure) throw error
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

/** Neither more faults nor a second one of the same field would help. */
const maxFaults = 20

function toFault(error: ErrorObject): FieldFault {
  const { field, isMissing, reason } = describeFault(error)
  return { field, code: isMissing ? 'missing_field' : 'invalid', reason: `${field} ${reason}` }
}
