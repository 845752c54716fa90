/**
 * Schemas whose types are derived. The types are TypeBox's own; the few functions that we use of it are made here, because
 * TypeBox loads 373 files for them: a quarter of the time that a server takes to load.
 */
import type * as TypeBox from 'typebox'

type Schema = Record<string, unknown>
type Members = Record<string, Schema>

/** Which members of an object may be left out. No property of the schema says so: JSON Schema lists those that may not. */
const optional = new WeakSet<Schema>()

function makeOptional(schema: Schema): Schema {
  const copy = { ...schema }
  optional.add(copy)
  return copy
}

function makeObject(properties: Members, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

const anyName = '^.*$'

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Schema) => ({ type: 'null', ...options }),
  Number: (options?: Schema) => ({ type: 'number', ...options }),
  Object: makeObject,
  Optional: makeOptional,
  Partial: ({ properties }: { properties: Members }, options?: Schema) =>
    makeObject(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, makeOptional(schema)])),
      options,
    ),
  Record: ({ pattern = anyName }: { pattern?: string }, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
}

export const Type = builders as unknown as Pick<typeof TypeBox.Type, keyof typeof builders>
