/**
 * Bounds how much a query asks of the schema itself: the library answers introspection without our resolvers, so its
 * size is computed in advance.
 */
import { type GraphQLResolveInfo, type GraphQLSchema, getArgumentValues } from 'graphql'
import { type ParsedQuery, rootTypeOf } from './document.ts'
import { limitError } from './errors.ts'
import { findField, findInner, makeCollect, type PlacedField, type Selection } from './merged-fields.ts'

/** The standard introspection of everything has 10,500 fields and 165 kB. */
const maxFields = 40_000
const maxBytes = 1024 * 1024

type Plan = { readonly size: number; readonly read: (source: unknown) => unknown; readonly inner: readonly Plan[] }

export function demandLittleIntrospection(
  schema: GraphQLSchema,
  { operation, fragments }: ParsedQuery,
  variables: Readonly<Record<string, unknown>>,
): { readonly fields: number; readonly bytes: number } {
  const collect = makeCollect(schema, fragments)
  const info = { schema } as GraphQLResolveInfo
  let fields = 0
  let bytes = 0

  const plan = (places: readonly Selection[]): Plan[] =>
    [...collect(places)].map(([name, same]) => planField(name, same))

  /**
   * Planned once, then counted for each object: all introspection types are object types, so every field is known in
   * advance.
   */
  const planField = (name: string, same: readonly PlacedField[]): Plan => {
    const field = findField(schema, same[0]!)
    const args = field && getArgumentValues(field, same[0]!.node, variables)
    const inner = plan(same.flatMap((each) => findInner(schema, each) ?? []))
    return { size: name.length, read: (source) => field?.resolve?.(source, args!, undefined, info), inner }
  }

  const count = ({ size, read, inner }: Plan, source: unknown): void => {
    const value = read(source)
    bytes += size + (typeof value === 'string' ? Buffer.byteLength(value) : 8)
    if (++fields > maxFields || bytes > maxBytes)
      throw limitError('RESOURCE_LIMITS_EXCEEDED', 'The query asks too much of the schema at once: ask for less.')
    if (inner.length === 0) return
    for (const item of Array.isArray(value) ? value : [value]) if (item) for (const each of inner) count(each, item)
  }

  for (const [name, same] of collect([{ set: operation.selectionSet, parent: rootTypeOf(schema, operation) }]))
    if (same[0]!.node.name.value.startsWith('__')) count(planField(name, same), undefined)
  return { fields, bytes }
}
