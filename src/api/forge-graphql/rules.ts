/** The rules that a query is validated by: the specification's, with one of them made bounded. */
import {
  FieldsOnCorrectTypeRule,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLSchema,
  isObjectType,
  OverlappingFieldsCanBeMergedRule,
  print,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql'
import { type ParsedQuery, rootTypeOf } from './document.ts'
import { findInner, makeCollect, type PlacedField, type Selection } from './merged-fields.ts'

const maxErrors = 20
/** Fields are compared once for each combination of types that they may be of; gh's longest query comes to some 300. */
const maxComparisons = 10_000

/** In the public platform's words: published clients look for them to leave out what a server does not have. */
const knownFieldsRule: ValidationRule = (context) => ({
  Field(node) {
    const type = context.getParentType()
    if (!type || context.getFieldDef()) return
    const name = node.name.value
    const message =
      type === context.getSchema().getMutationType()
        ? `The mutation '${name}' is not served here.`
        : `Field '${name}' doesn't exist on type '${type.name}'`
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})

const rules = [
  knownFieldsRule,
  ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule && rule !== FieldsOnCorrectTypeRule),
]

/** What is wrong with a query; the last rule relies on what the others demand. */
export function findFaults(schema: GraphQLSchema, parsed: ParsedQuery): readonly GraphQLError[] {
  const faults = validate(schema, parsed.document, rules, { maxErrors })
  return faults.length > 0 ? faults : findConflicts(schema, parsed)
}

/**
 * One name of the answer stands for one field with the same arguments, wherever fragments name it: it is executed once,
 * with the first one's arguments and all of the selections. The specification's own rule compares every pair of fields,
 * and refuses what published clients ask: `state` of an issue or a pull, which are of different types.
 */
function findConflicts(schema: GraphQLSchema, { operation, fragments }: ParsedQuery): GraphQLError[] {
  const collect = makeCollect(schema, fragments)
  const conflicts = new Map<string, GraphQLError>()
  let comparisons = 0

  const walk = (places: readonly Selection[]): void => {
    for (const [name, fields] of collect(places))
      for (const together of groupByType(fields)) {
        comparisons += together.length
        if (comparisons > maxComparisons) throw new GraphQLError('The query has too many fields that overlap.')
        const [first, ...others] = together.map(describeField)
        const at = others.findIndex((text) => text !== first)
        if (at < 0) walk(together.flatMap((field) => findInner(schema, field) ?? []))
        else if (conflicts.size < maxErrors) conflicts.set(name, conflict(name, together[at + 1]!))
      }
  }

  walk([{ set: operation.selectionSet, parent: rootTypeOf(schema, operation) }])
  return [...conflicts.values()]
}

const conflict = (name: string, { node }: PlacedField) =>
  new GraphQLError(`${JSON.stringify(name)} stands for two fields: give one of them an alias.`, { nodes: node })

const describeField = ({ node }: PlacedField): string =>
  `${node.name.value}(${node.arguments?.map(print).sort().join() ?? ''})`

/** A thing is of one object type: those of two are never answered together, those of an interface with any. */
function groupByType(fields: readonly PlacedField[]): readonly (readonly PlacedField[])[] {
  const byObject = new Map<GraphQLCompositeType, PlacedField[]>()
  const ofAny: PlacedField[] = []
  for (const field of fields) {
    if (!isObjectType(field.parent)) ofAny.push(field)
    else if (byObject.has(field.parent)) byObject.get(field.parent)!.push(field)
    else byObject.set(field.parent, [field])
  }
  return byObject.size === 0 ? [ofAny] : [...byObject.values()].map((own) => [...own, ...ofAny])
}
