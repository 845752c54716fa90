/** The validation rules: the specification's, with one of them replaced by a bounded one. */
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
/** Fields are compared once per combination of their types; gh's longest query needs some 300 comparisons. */
const maxComparisons = 10_000

/** The public platform's message: published clients parse it to leave out fields that a server lacks. */
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

/** The validation errors of a query. The last rule relies on the others. */
export function findFaults(schema: GraphQLSchema, parsed: ParsedQuery): readonly GraphQLError[] {
  const faults = validate(schema, parsed.document, rules, { maxErrors })
  return faults.length > 0 ? faults : findConflicts(schema, parsed)
}

/**
 * Fields with the same response name must be the same field with the same arguments, in whatever fragment: it is
 * executed once, with the first one's arguments and all selections. The specification's rule compares every pair of
 * fields, and refuses what published clients send: `state` of an issue or a pull, which are of different types.
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

/** An object has one type: fields of two object types never meet in one response, those of an interface meet any. */
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
