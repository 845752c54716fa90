/** Validates items against the `fields` part of a data set's schema (JSON Schema draft-07). */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formatsOf from 'ajv-formats'
import { eachText } from '../query/records.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The items that the schema does not allow, and why. */
    readonly invalidItems?: readonly InvalidItem[]
  }
}

export type InvalidItem = { readonly itemPosition: number; readonly validationErrors: readonly object[] }

/** This many are enough to fix a push; the rest is likely the same. */
export const maxReported = 100
const maxErrors = 20

/** For a longer item only the first error is searched: a million elements of a wrong type are a million errors. */
const maxWholeLength = 65_536

/** The part of the schema that items must satisfy, or null if there is none. */
export function fieldsOf(schema: unknown): object | null {
  if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, 'fields')) return null
  const { fields } = schema as { fields: unknown }
  return typeof fields === 'object' && fields !== null && Object.keys(fields).length > 0 ? fields : null
}

/** Why the schema can't be used, or null. */
export function findSchemaFault(fields: unknown): string | null {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return 'it must be an object'
  try {
    compileOnce(fields)
    return null
  } catch (error) {
    return error instanceof RangeError ? 'it is too large or too deep' : (error as Error).message
  }
}

export function findInvalidItems(lines: Buffer, fields: object): InvalidItem[] {
  const { findFirst, findAll } = compileOnce(fields)
  const invalid: InvalidItem[] = []
  let position = 0
  for (const text of eachText(lines)) {
    const item: unknown = JSON.parse(text)
    if (!findFirst(item)) {
      const validate = text.length > maxWholeLength ? findFirst : findAll
      validate(item)
      const validationErrors = (validate.errors ?? []).slice(0, maxErrors).map(describe)
      if (invalid.push({ itemPosition: position, validationErrors }) === maxReported) break
    }
    position++
  }
  return invalid
}

const describe = ({ instancePath, schemaPath, keyword, params, message }: ErrorObject) => ({
  instancePath,
  schemaPath,
  keyword,
  params,
  message,
})

type Validators = { readonly findFirst: ValidateFunction; readonly findAll: ValidateFunction }

let compiled: (Validators & { text: string }) | undefined

/** Caches the last schema: pushes to one data set follow each other. */
function compileOnce(fields: object): Validators {
  const text = JSON.stringify(fields)
  if (compiled?.text !== text) compiled = { text, findFirst: compile(fields, false), findAll: compile(fields, true) }
  return compiled
}

function compile(fields: object, allErrors: boolean): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors, logger: false, addUsedSchema: false })
  formatsOf.default(ajv)
  // In Ajv `$async` makes validation answer a promise; in JSON Schema it means nothing, so it is overridden.
  return ajv.compile({ ...fields, $async: false })
}
