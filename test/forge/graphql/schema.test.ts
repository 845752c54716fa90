/** The schema is a part of the public platform's own: every type, field, argument and value of it is there, and means the same. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  validateSchema,
} from 'graphql'
import { makeSchema } from '../../../src/api/forge-graphql/schema/schema.ts'

const published = buildSchema(
  readFileSync(new URL('schema.graphql', import.meta.resolve('@octokit/graphql-schema')), 'utf8'),
  { assumeValid: true },
)
const own = makeSchema()

function listStrange(type: GraphQLNamedType): string[] {
  const model = published.getType(type.name)
  if (!model || model.constructor !== type.constructor) return [type.name]
  const names = (items: readonly { readonly name: string }[]) => new Set(items.map(({ name }) => name))
  const strange: string[] = []
  if (isEnumType(type) && isEnumType(model))
    strange.push(...type.getValues().flatMap(({ name }) => (model.getValue(name) ? [] : [name])))
  if (isUnionType(type) && isUnionType(model))
    strange.push(...[...names(type.getTypes())].filter((name) => !names(model.getTypes()).has(name)))
  if ((isObjectType(type) && isObjectType(model)) || (isInterfaceType(type) && isInterfaceType(model)))
    for (const field of Object.values(type.getFields())) {
      const like = model.getFields()[field.name]
      if (String(like?.type) !== String(field.type)) strange.push(field.name)
      for (const { name, type: kind } of field.args)
        if (String(like?.args.find((one) => one.name === name)?.type) !== String(kind))
          strange.push(`${field.name}.${name}`)
    }
  if (isObjectType(type) && isObjectType(model))
    strange.push(...[...names(type.getInterfaces())].filter((name) => !names(model.getInterfaces()).has(name)))
  if (isInputObjectType(type) && isInputObjectType(model))
    for (const field of Object.values(type.getFields()))
      if (String(model.getFields()[field.name]?.type) !== String(field.type)) strange.push(field.name)
  return strange.map((name) => `${type.name} ${name}`)
}

test('the schema is valid, and nothing in it is unknown to the public one or other than there', () => {
  assert.deepEqual(validateSchema(own), [])
  const types = Object.values(own.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  assert.ok(types.length > 60)
  assert.deepEqual(types.flatMap(listStrange), [])
})

test('no argument is demanded that the public one does not demand, and none is left out that it does', () => {
  const wrong = Object.values(own.getTypeMap()).flatMap((type) => {
    const model = published.getType(type.name)
    if (!isObjectType(type) || !isObjectType(model)) return []
    return Object.values(type.getFields()).flatMap(({ name, args }) => {
      const demanded = model.getFields()[name]?.args.filter((arg) => String(arg.type).endsWith('!')) ?? []
      return demanded
        .filter((arg) => !args.some((one) => one.name === arg.name))
        .map((arg) => `${type.name}.${name}.${arg.name}`)
    })
  })
  assert.deepEqual(wrong, [])
})
