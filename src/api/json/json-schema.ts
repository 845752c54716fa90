/** JSON Schema for all APIs: one set of formats and keywords, and one wording of validation errors. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { accountNamePattern, accountNameRule } from '../../accounts/account-rules.ts'
import { isUuid } from '../../lib/ids.ts'

/** Lengths count code points, as JSON Schema requires. `x-maxBytes` bounds the UTF-8 bytes of a text. */
function makeAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    allErrors,
    verbose: true,
    strict: true,
    formats: {
      uint64: { type: 'number', validate: (value: number) => Number.isSafeInteger(value) && value >= 0 },
      uuid: { type: 'string', validate: isUuid },
      text: { type: 'string', validate: (value: string) => value.isWellFormed() && !value.includes('\0') },
      bytes: { type: 'string', validate: (value: string) => value.isWellFormed() },
    },
    keywords: ['example'],
  })
  ajv.addKeyword({
    keyword: 'x-maxBytes',
    type: 'string',
    schemaType: 'number',
    // A UTF-16 unit takes at most three bytes, so most texts need no counting.
    validate: (most: number, value: string) => value.length * 3 <= most || Buffer.byteLength(value) <= most,
  })
  return ajv
}

const untilFirst = makeAjv(false)
const thorough = makeAjv(true)

/**
 * A value with more parts than this gets only its first fault: collecting half a million takes seconds and gigabytes.
 */
const maxThoroughParts = 1_000

/** The faults of a value; empty if it is valid. */
export type FindFaults = (value: unknown) => readonly ErrorObject[]

/** Compiles the schema at its first use: compiling all of them took a fifth of the startup time. */
export function compileLazily(schema: object): FindFaults {
  let findFirst: ValidateFunction | undefined
  let findAll: ValidateFunction | undefined
  return (value) => {
    findFirst ??= untilFirst.compile(schema)
    if (findFirst(value)) return []
    if (countParts(value, maxThoroughParts) >= maxThoroughParts) return findFirst.errors ?? []
    findAll ??= thorough.compile(schema)
    findAll(value)
    return findAll.errors ?? []
  }
}

function countParts(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  const parts = Array.isArray(value) ? value : Object.values(value)
  if (parts.length >= most) return most
  let count = 1
  for (const part of parts) {
    count += countParts(part, most - count)
    if (count >= most) return most
  }
  return count
}

/** A fault at one place: `field` is a path with dots, empty for the value itself. */
export type SchemaFault = { readonly field: string; readonly isMissing: boolean; readonly reason: string }

export function describeFault(error: ErrorObject): SchemaFault {
  const { instancePath, keyword, message, params, schema } = error
  const path = instancePath.slice(1).split('/').filter(Boolean)
  if (keyword === 'required') {
    return { field: [...path, params.missingProperty].join('.'), isMissing: true, reason: 'is required' }
  }
  const known = reasons[params.format ?? params.pattern]
  const allowed = keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : undefined
  const length = keyword === 'x-maxBytes' ? `must have at most ${schema} bytes` : undefined
  return { field: path.join('.'), isMissing: false, reason: known ?? allowed ?? length ?? message ?? 'is not valid' }
}

/** Messages for a format or a pattern, by the format's name or the pattern's text. */
const reasons: Record<string, string> = {
  uint64: 'must be a whole number from 0 to 9007199254740991',
  uuid: 'must be a uuid (8-4-4-4-12 hexadecimal digits)',
  text: 'must not hold a NUL character or half a surrogate pair',
  bytes: 'must not hold half a surrogate pair',
  [accountNamePattern]: `must be ${accountNameRule}`,
}
