/** A method: its name, params, result, whether it needs sign-in, and its handler. */
import type { ErrorObject } from 'ajv'
import type { Static, TObject } from 'typebox'
import type { Actor } from '../../accounts/actor.ts'
import { Failure, type FieldFault } from '../../lib/failure.ts'
import { compileLazily, describeFault } from '../json/json-schema.ts'
import type { Uploads } from './uploads/large-body.ts'

/** The context of a call. A `create_session` in a batch changes the actor for the calls after it. */
export type JudgeCall = {
  actor: Actor
  readonly requestId: string
  /** Aborted when the client disconnects, which ends long polls. */
  readonly signal: AbortSignal
  /** The parts of a large body that were written to files. */
  readonly uploads: Uploads
  /** Resolves once the budget has room for so many bytes of the answer. To be called before they are read. */
  reserve(bytes: number): Promise<void>
  setSession(token: string | undefined): void
  /** Identifies the actor again: during a batch or a wait, a role may have changed or a session ended. */
  identifyAgain(): Promise<void>
}

export type Method = {
  readonly name: string
  readonly summary: string
  readonly params: TObject
  readonly result: TObject
  /** Whether these params are allowed without signing in. */
  isOpen(params: Record<string, unknown>): boolean
  run(call: JudgeCall, params: Record<string, unknown>): Promise<object>
}

type Definition<P extends TObject, R extends TObject> = {
  name: string
  summary: string
  params: P
  result: R
  /** Whether it may be called without signing in, always or with some params. */
  isOpen?: boolean | Method['isOpen']
  /** For `update_*`: a null member counts as absent, unless it is one of those whose value may be null. */
  nullIsAbsent?: boolean | { readonly except: readonly string[] }
  run(call: JudgeCall, params: Static<P>): Promise<Static<R>>
}

export function defineMethod<P extends TObject, R extends TObject>(definition: Definition<P, R>): Method {
  const { name, summary, params, result, isOpen = false, nullIsAbsent = false, run } = definition
  const findFaults = compileLazily(params)
  const nullable = new Set(typeof nullIsAbsent === 'object' ? nullIsAbsent.except : [])
  return {
    name,
    summary,
    params,
    result,
    isOpen: typeof isOpen === 'function' ? isOpen : () => isOpen,
    async run(call, given) {
      const value = nullIsAbsent ? withoutNulls(given, nullable) : given
      demandShortLists(params, value)
      const faults = findFaults(value)
      if (faults.length > 0) throw asFailure(faults)
      return (await run(call, value as Static<P>)) as object
    },
  }
}

/** Checked before the schema, which would collect a fault for each of half a million members. */
function demandShortLists({ properties }: TObject, given: Record<string, unknown>): void {
  for (const [field, { maxItems = Infinity }] of Object.entries<{ maxItems?: number }>(properties)) {
    const list = given[field]
    if (!Array.isArray(list) || list.length <= maxItems) continue
    throw invalidParams([{ field, reason: `must NOT have more than ${maxItems} items` }])
  }
}

const maxFaults = 20

const asFailure = (errors: readonly ErrorObject[]): Failure => invalidParams(errors.slice(0, maxFaults).map(toFault))

/** Also used for faults that a schema can't describe. */
export function invalidParams(faults: readonly FieldFault[]): Failure {
  const summary = faults.map(({ field, reason }) => `${field} ${reason}`).slice(0, 3)
  return new Failure('invalid', 'invalid-params', `Invalid parameters: ${summary.join('; ')}.`, { faults })
}

function toFault(error: ErrorObject): FieldFault {
  const { field, reason } = describeFault(error)
  return { field: field || 'params', reason }
}

/**
 * Covers params and their members that are objects, such as `Setting`, but nothing deeper: a caller's value may be
 * deeper than the stack.
 */
function withoutNulls(
  given: Record<string, unknown>,
  nullable: ReadonlySet<string>,
  depth = 2,
): Record<string, unknown> {
  const kept = Object.entries(given).filter(([name, value]) => value !== null || nullable.has(name))
  if (depth === 1) return Object.fromEntries(kept)
  const inner = (one: unknown) => (isPlainObject(one) ? withoutNulls(one, nullable, depth - 1) : one)
  return Object.fromEntries(kept.map(([name, one]) => [name, inner(one)]))
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
