/**
 * Merges the selections of all fragments at one position of the response: fields with the same response name are one
 * field.
 */
import {
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import type { Fragments } from './document.ts'

/** A selection set, and the type that it selects from. */
export type Selection = { readonly set: SelectionSetNode; readonly parent: GraphQLCompositeType }

export type PlacedField = { readonly node: FieldNode; readonly parent: GraphQLCompositeType }

export type Collect = (
  places: readonly Selection[],
  isIncluded?: (node: SelectionNode) => boolean,
) => ReadonlyMap<string, readonly PlacedField[]>

/**
 * Fields by response name, with fragments expanded. Fragments must not contain themselves; the document bounds them.
 */
export function makeCollect(schema: GraphQLSchema, fragments: Fragments): Collect {
  return (places, isIncluded = () => true) => {
    const found = new Map<string, PlacedField[]>()
    const add = ({ set, parent }: Selection): void => {
      for (const node of set.selections) {
        if (!isIncluded(node)) continue
        if (node.kind === Kind.FIELD) {
          const name = node.alias?.value ?? node.name.value
          const same = found.get(name)
          if (same) same.push({ node, parent })
          else found.set(name, [{ node, parent }])
          continue
        }
        const inner = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)
        const condition = inner?.typeCondition && schema.getType(inner.typeCondition.name.value)
        if (inner) add({ set: inner.selectionSet, parent: isCompositeType(condition) ? condition : parent })
      }
    }
    for (const place of places) add(place)
    return found
  }
}

export function findField(
  schema: GraphQLSchema,
  { node, parent }: PlacedField,
): GraphQLField<unknown, unknown> | undefined {
  const name = node.name.value
  if (parent === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
}

/** The selection set of a field. */
export function findInner(schema: GraphQLSchema, field: PlacedField): Selection | undefined {
  const definition = findField(schema, field)
  const type = definition && getNamedType(definition.type)
  const set = field.node.selectionSet
  return set && isCompositeType(type) ? { set, parent: type } : undefined
}
