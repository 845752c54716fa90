/** Schemas: what is made here is what TypeBox makes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from '../../src/base/schema.ts'

type Make = (t: typeof Type) => object

const cases: Record<string, Make> = {
  'a text with bounds': (t) => t.String({ minLength: 1, description: 'a name' }),
  'the plain ones': (t) => t.Union([t.Array(t.Boolean()), t.Integer({ minimum: 0 }), t.Null()]),
  'one value': (t) =>
    t.Union([t.Literal('a', { description: 'the first' }), t.Literal(3), t.Literal(true), t.Number()]),
  'a list with bounds': (t) => t.Array(t.Integer(), { maxItems: 3 }),
  'an object': (t) =>
    t.Object({ a: t.String(), b: t.Optional(t.Boolean()), c: t.String() }, { additionalProperties: false }),
  'an object without members': (t) => t.Object({}),
  'an object that needs no member': (t) => t.Object({ a: t.Optional(t.Integer()) }),
  'a member that is optional twice': (t) => t.Object({ a: t.Optional(t.Optional(t.Integer())) }),
  'one schema as a needed and as an optional member': (t) => {
    const name = t.String()
    return t.Object({ a: t.Optional(name), b: name })
  },
  'a partial object': (t) =>
    t.Partial(t.Object({ a: t.String() }, { additionalProperties: false }), { description: 'a change' }),
  'the members of a partial object': (t) =>
    t.Object({ id: t.String(), ...t.Partial(t.Object({ a: t.String(), b: t.Null() })).properties }),
  'names and values': (t) => t.Record(t.String(), t.Integer(), { maxProperties: 3 }),
  'names of a form': (t) => t.Record(t.String({ pattern: '^a+$' }), t.Integer()),
  'one of several': (t) => t.Union([t.String(), t.Null()], { description: 'a name, or none' }),
  'any schema': (t) => t.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
  'an optional schema of any kind': (t) => t.Object({ a: t.Optional(t.Unsafe<'a'>({ type: 'string', enum: ['a'] })) }),
}

for (const [name, make] of Object.entries(cases))
  test(`${name} is the same as TypeBox's`, () => {
    assert.equal(JSON.stringify(make(Type)), JSON.stringify(make(TypeBox as unknown as typeof Type)))
  })
