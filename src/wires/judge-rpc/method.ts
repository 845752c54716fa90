/** A method: its name, what it takes and gives, who may call it without signing in, and what it does. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Static, TObject } from 'typebox'
import { accountNamePattern } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import { Failure, type FieldFault } from '../../base/failure.ts'
import { isUuid } from '../../base/ids.ts'
import type { Uploads } from './uploads/large-body.ts'

/** One call's surroundings. A `create_session` in a batch changes the actor for the calls after it. */
export type Call = {
  actor: Actor
  readonly requestId: string
  /** Ends waiting calls when the caller has gone. */
  readonly signal: AbortSignal
  /** What of a large body went to files. */
  readonly uploads: Uploads
  setSession(token: string | undefined): void
}

export type Method = {
  readonly name: string
  readonly summary: string
  readonly params: TObject
  readonly result: TObject
  /** Whether these params may be sent without signing in. */
  isOpen(params: Record<string, unknown>): boolean
  run(call: Call, params: Record<string, unknown>): Promise<object>
}

type Definition<P extends TObject, R extends TObject> = {
  name: string
  summary: string
  params: P
  result: R
  /** Callable without signing in, always or with some params. */
  isOpen?: boolean | Method['isOpen']
  /** For `update_*`: a null member is as if absent. */
  nullIsAbsent?: boolean
  run(call: Call, params: Static<P>): Promise<Static<R>>
}

export function defineMethod<P extends TObject, R extends TObject>(definition: Definition<P, R>): Method {
  const { name, summary, params, result, isOpen = false, nullIsAbsent = false, run } = definition
  // At the first call: compiling all of them took a fifth of a start.
  let validate: ValidateFunction | undefined
  return {
    name,
    summary,
    params,
    result,
    isOpen: typeof isOpen === 'function' ? isOpen : () => isOpen,
    async run(call, given) {
      const value = nullIsAbsent ? withoutNulls(given) : given
      demandShortLists(params, value)
      validate ??= ajv.compile(params)
      if (!validate(value)) throw asFailure(validate.errors ?? [])
      return (await run(call, value as Static<P>)) as object
    },
  }
}

/** Lengths count code points, as JSON Schema has it. Our formats: see shapes/basics.ts. */
const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strict: true,
  strictSchema: 'log',
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
  // A text has three bytes for each of its units at most, so most need no counting.
  validate: (most: number, value: string) => value.length * 3 <= most || Buffer.byteLength(value) <= most,
})

/** By format, or by pattern. */
const reasons: Record<string, string> = {
  uint64: 'must be a whole number from 0 to 9007199254740991',
  uuid: 'must be a uuid (8-4-4-4-12 hexadecimal digits)',
  text: 'must not hold a NUL character or half a surrogate pair',
  bytes: 'must not hold half a surrogate pair',
  [accountNamePattern]: 'must be 1 to 39 letters, digits or hyphens, with no hyphen at an end',
}

/** Before the rest, which would gather what is wrong with each of half a million members. */
function demandShortLists({ properties }: TObject, given: Record<string, unknown>): void {
  for (const [field, { maxItems = Infinity }] of Object.entries<{ maxItems?: number }>(properties)) {
    const list = given[field]
    if (!Array.isArray(list) || list.length <= maxItems) continue
    throw invalidParams([{ field, reason: `must NOT have more than ${maxItems} items` }])
  }
}

const maxFaults = 20

const asFailure = (errors: readonly ErrorObject[]): Failure => invalidParams(errors.slice(0, maxFaults).map(toFault))

/** For what a schema can't say, too. */
export function invalidParams(faults: readonly FieldFault[]): Failure {
  const summary = faults.map(({ field, reason }) => `${field} ${reason}`).slice(0, 3)
  return new Failure('invalid', 'invalid-params', `Invalid parameters: ${summary.join('; ')}.`, { faults })
}

function toFault({ instancePath, keyword, message, params, schema }: ErrorObject): FieldFault {
  const path = instancePath.slice(1).split('/').filter(Boolean)
  if (keyword === 'required') return { field: [...path, params.missingProperty].join('.'), reason: 'is required' }
  const reason = reasons[params.format ?? params.pattern]
  const allowed = keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : undefined
  const length = keyword === 'x-maxBytes' ? `must have at most ${schema} bytes` : undefined
  return { field: path.join('.') || 'params', reason: reason ?? allowed ?? length ?? message ?? 'is not valid' }
}

/** Of params, and of a member that is an object itself, as `Setting` is. Deeper ones may be deeper than the stack. */
function withoutNulls(given: Record<string, unknown>, depth = 2): Record<string, unknown> {
  const kept = Object.entries(given).filter(([, value]) => value !== null)
  if (depth === 1) return Object.fromEntries(kept)
  return Object.fromEntries(kept.map(([name, one]) => [name, isPlainObject(one) ? withoutNulls(one, depth - 1) : one]))
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
