/** The rules that a query is validated by: the specification's, with one of them made linear. */
import {
  GraphQLError,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  print,
  type SelectionSetNode,
  specifiedRules,
  type ValidationRule,
} from 'graphql'

/**
 * One name of the answer stands for one field. The specification's own rule compares every pair of fields, however far
 * apart, and refuses what published clients ask: `state` of an issue or a pull, which are of different types. Here the
 * fields of one place are compared, by their text.
 */
const oneFieldForEachName: ValidationRule = (context) => ({
  SelectionSet({ selections }: SelectionSetNode) {
    const known = new Map<string, string>()
    for (const selection of selections) {
      if (selection.kind !== Kind.FIELD) continue
      const name = selection.alias?.value ?? selection.name.value
      const text = `${selection.name.value}(${selection.arguments?.map(print).sort().join() ?? ''})`
      if ((known.get(name) ?? text) !== text)
        context.reportError(
          new GraphQLError(`${JSON.stringify(name)} stands for two fields: give one of them an alias.`, {
            nodes: selection,
          }),
        )
      known.set(name, text)
    }
  },
})

export const rules: readonly ValidationRule[] = [
  ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule),
  oneFieldForEachName,
]
