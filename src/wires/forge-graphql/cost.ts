/** What a query costs, computed before it is answered: how many things it may come to, and how many requests these would take. */
import {
  type FieldNode,
  type GraphQLCompositeType,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { type ConnectionArgs, mostPerPage } from './connection.ts'
import type { Fragments, ParsedQuery } from './document.ts'
import { limitError } from './errors.ts'

const maxNodes = 500_000
/** Each looks at so much more than other lists. */
const maxSearches = 20
const searched = 'SearchResultItemConnection'

export type Cost = { readonly points: number; readonly nodeCount: number }

type Variables = Readonly<Record<string, unknown>>

/** Each list is a request for every thing that it hangs on; a hundred requests are a point, and nothing is for less than one. */
export function computeCost(schema: GraphQLSchema, { operation, fragments }: ParsedQuery, variables: Variables): Cost {
  let nodeCount = 0
  let requests = 0
  let searches = 0

  const walk = (set: SelectionSetNode, parent: GraphQLCompositeType, times: number): void => {
    for (const selection of set.selections) {
      if (!isIncluded(selection, variables)) continue
      if (selection.kind === Kind.FIELD) {
        walkField(selection, parent, times)
        continue
      }
      const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      const condition = inner?.typeCondition && schema.getType(inner.typeCondition.name.value)
      if (inner) walk(inner.selectionSet, isCompositeType(condition) ? condition : parent, times)
    }
  }

  const walkField = (node: FieldNode, parent: GraphQLCompositeType, times: number): void => {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    if (!field || !node.selectionSet) return
    const type = getNamedType(field.type)
    if (!isCompositeType(type)) return
    const args = getArgumentValues(field, node, variables)
    if (!type.name.endsWith('Connection')) {
      const many = Array.isArray(args.ids) ? demandFew(args.ids.length) : 1
      nodeCount += many > 1 ? many * times : 0
      walk(node.selectionSet, type, times * many)
      return
    }
    const size = selectsItems(node.selectionSet, fragments) ? readSize(node.name.value, args) : 0
    if (type.name === searched && ++searches > maxSearches)
      throw new GraphQLError(`The query has more than ${maxSearches} searches: ask for fewer at once.`)
    requests += times
    nodeCount += times * size
    if (nodeCount > maxNodes) throw limitError('MAX_NODE_LIMIT_EXCEEDED', tooManyNodes(nodeCount))
    walk(node.selectionSet, type, times * size)
  }

  walk(operation.selectionSet, schema.getQueryType()!, 1)
  return { points: Math.max(1, Math.round(requests / 100)), nodeCount }
}

const tooManyNodes = (count: number) =>
  `This query requests up to ${count} possible nodes which exceeds the maximum limit of ${maxNodes}.`

function demandFew(count: number): number {
  if (count > mostPerPage)
    throw limitError(
      'EXCESSIVE_PAGINATION',
      `You may not provide more than ${mostPerPage} node ids; you provided ${count}.`,
    )
  return Math.max(1, count)
}

function readSize(name: string, { first, last }: ConnectionArgs): number {
  const [word, size] = first === undefined || first === null ? (['last', last] as const) : (['first', first] as const)
  if (size === undefined || size === null)
    throw limitError(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    )
  if (word === 'first' && last !== undefined && last !== null)
    throw new GraphQLError(
      `Passing both \`first\` and \`last\` to paginate the \`${name}\` connection is not supported.`,
    )
  if (size < 0) throw new GraphQLError(`\`${word}\` on the \`${name}\` connection cannot be less than zero.`)
  if (size > mostPerPage)
    throw limitError(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`${word}\` limit of ${mostPerPage} records.`,
    )
  return size
}

/** Who asks how many there are, and for none of them, need not say how many to show. */
function selectsItems({ selections }: SelectionSetNode, fragments: Fragments): boolean {
  return selections.some((one) => {
    if (one.kind === Kind.FIELD) return one.name.value === 'nodes' || one.name.value === 'edges'
    const inner = one.kind === Kind.INLINE_FRAGMENT ? one : fragments.get(one.name.value)
    return inner !== undefined && selectsItems(inner.selectionSet, fragments)
  })
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}
