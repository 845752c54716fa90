/**
 * Computes the cost of a query before it runs: how many nodes it can return, and how many REST requests it replaces.
 */
import {
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { type ConnectionArgs, mostPerPage } from './connection.ts'
import { type Fragments, type ParsedQuery, rootTypeOf } from './document.ts'
import { limitError } from './errors.ts'
import { type Collect, findField, findInner, makeCollect, type PlacedField, type Selection } from './merged-fields.ts'

const maxNodes = 500_000
/** A search reads far more rows than other lists. */
const maxSearches = 20
const maxTypeNames = 10
/** The limit on content covers 80 a minute. */
const maxMutations = 50
const searched = 'SearchResultItemConnection'

/** `mutations`: the names of the mutations, in order. */
export type Cost = { readonly points: number; readonly nodeCount: number; readonly mutations: readonly string[] }

type Variables = Readonly<Record<string, unknown>>

/** Each list costs one request per parent node. A hundred requests are one point, and a query costs at least one. */
export function computeCost(schema: GraphQLSchema, { operation, fragments }: ParsedQuery, variables: Variables): Cost {
  let nodeCount = 0
  let requests = 0
  let searches = 0

  const collect = makeCollect(schema, fragments)
  const isAnswered = (node: SelectionNode) => isIncluded(node, variables)

  const walk = (places: readonly Selection[], times: number): void => {
    const collected = collect(places, isAnswered)
    demandFewTypeNames(collected)
    for (const fields of collected.values()) walkField(fields, times)
  }

  /**
   * Fields with the same response name are merged: the largest page size counts, with the selections of all of them.
   */
  const walkField = (fields: readonly PlacedField[], times: number): void => {
    const inner = fields.flatMap((field) => findInner(schema, field) ?? [])
    if (inner.length === 0) return
    const items = inner.some(({ set }) => selectsItems(set, fragments))
    const sizes = fields.map((field) => {
      const definition = findField(schema, field)!
      const type = getNamedType(definition.type)
      const args = getArgumentValues(definition, field.node, variables)
      if (type.name.endsWith('Connection')) return { type, size: items ? readSize(field.node.name.value, args) : 0 }
      return { type: undefined, size: Array.isArray(args.ids) ? demandFew(args.ids.length) : 1 }
    })
    const size = Math.max(...sizes.map((each) => each.size))
    const isList = sizes.some(({ type }) => type !== undefined)
    if (sizes.some(({ type }) => type?.name === searched) && ++searches > maxSearches)
      throw new GraphQLError(`The query has more than ${maxSearches} searches: ask for fewer at once.`)
    if (isList) requests += times
    if (isList || size > 1) nodeCount += times * size
    if (nodeCount > maxNodes) throw limitError('MAX_NODE_LIMIT_EXCEEDED', tooManyNodes(nodeCount))
    walk(inner, times * size)
  }

  const root = { set: operation.selectionSet, parent: rootTypeOf(schema, operation) }
  const mutations = operation.operation === OperationTypeNode.MUTATION ? nameMutations(collect([root], isAnswered)) : []
  walk([root], 1)
  return { points: Math.max(1, mutations.length, Math.round(requests / 100)), nodeCount, mutations }
}

function nameMutations(collected: ReturnType<Collect>): string[] {
  const names = [...collected.values()]
    .map(([field]) => field!.node.name.value)
    .filter((name) => !name.startsWith('__'))
  if (names.length > maxMutations)
    throw new GraphQLError(`The document has more than ${maxMutations} mutations: make fewer at once.`)
  return names
}

/** The library answers `__typename` itself for every node, so nothing else counts it. */
function demandFewTypeNames(collected: ReturnType<Collect>): void {
  const names = [...collected].flatMap(([name, [field]]) => (field!.node.name.value === '__typename' ? [name] : []))
  if (names.length > maxTypeNames || names.some(({ length }) => length > 100))
    throw new GraphQLError(`__typename has more than ${maxTypeNames} names in one place, or one longer than 100.`)
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

/** A query that selects no items, only a count, need not give a page size. */
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
