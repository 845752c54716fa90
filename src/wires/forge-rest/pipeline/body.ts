/** A request's body: read to its limit, parsed as JSON whatever its type says, held against the route's schema. */
import type { Readable } from 'node:stream'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { Failure, type FieldFault } from '../../../base/failure.ts'

export async function readBody(stream: Readable | undefined, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // Left in one piece when there is too much of it: the answer still has to go out beside it.
  for await (const chunk of stream?.iterator({ destroyOnReturn: false }) ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Failure('invalid', 'too-large', `The body is over ${maxBytes} bytes.`)
    chunks.push(chunk)
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

const ajv = new Ajv({
  allErrors: true,
  strict: true,
  formats: { text: { type: 'string', validate: (value: string) => value.isWellFormed() && !value.includes('\0') } },
})

/** Compiled when it is first asked for: there are many, and a start would wait for them all. */
export function makeValidation(schema: TSchema): () => ValidateFunction {
  let validate: ValidateFunction | undefined
  return () => {
    validate ??= ajv.compile(schema)
    return validate
  }
}

export function demandValid(validate: ValidateFunction, body: unknown): void {
  if (validate(body)) return
  const faults = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf').map(toFault)
  throw new Failure('invalid', 'validation-failed', 'Validation Failed', { faults: faults.slice(0, 20) })
}

function toFault({ instancePath, keyword, message, params }: ErrorObject): FieldFault {
  const path = instancePath.slice(1).split('/').filter(Boolean)
  if (keyword === 'required') {
    const field = [...path, params.missingProperty].join('.')
    return { field, code: 'missing_field', reason: `${field} is required` }
  }
  const field = path.join('.')
  const allowed = keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : undefined
  return { field, code: 'invalid', reason: `${field} ${allowed ?? message ?? 'is not valid'}` }
}
