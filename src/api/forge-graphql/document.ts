/** Parses a query's text within bounds: tokens, depth, and fields after its fragments are expanded. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql'

/** gh's longest queries have some 700 tokens, 200 fields and a depth of 10. */
const maxTokens = 5_000
const maxDepth = 25
const maxFields = 2_000
/** Brackets of any kind: values nest, too, and the parser recurses for each. */
const maxBrackets = 100

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export type ParsedQuery = {
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
}

/** The root type that an operation selects from. */
export const rootTypeOf = (schema: GraphQLSchema, { operation }: OperationDefinitionNode): GraphQLObjectType =>
  (operation === OperationTypeNode.MUTATION ? schema.getMutationType() : schema.getQueryType())!

export function parseQuery(text: string, operationName: string | undefined): ParsedQuery {
  demandShallow(text)
  const document = parse(text, { maxTokens })
  const fragments: Fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  )
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  for (const { selectionSet } of operations) demandBounded(selectionSet, fragments)
  return { document, operation: chooseOperation(operations, operationName), fragments }
}

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

function demandShallow(text: string): void {
  const lexer = new Lexer(new Source(text))
  let depth = 0
  for (let count = 0; count <= maxTokens; count++) {
    const { kind } = lexer.advance()
    if (kind === TokenKind.EOF) return
    if (opening.has(kind) && ++depth > maxBrackets)
      throw new GraphQLError(`The query has brackets nested deeper than ${maxBrackets} levels.`)
    if (closing.has(kind)) depth--
  }
}

function chooseOperation(operations: readonly OperationDefinitionNode[], name?: string): OperationDefinitionNode {
  const found = name ? operations.filter((one) => one.name?.value === name) : operations
  if (found.length === 1) return found[0]!
  throw new GraphQLError(
    found.length > 1
      ? 'An operation name is required where there are several operations.'
      : name
        ? `There is no operation named ${JSON.stringify(name.slice(0, 100))}.`
        : 'There is no operation in the query.',
  )
}

/** Must run before anything else walks the query: nested fragments expand a short text into a huge one. */
function demandBounded(selectionSet: SelectionSetNode, fragments: Fragments): void {
  let fields = 0
  const walk = ({ selections }: SelectionSetNode, depth: number, within: readonly string[]): void => {
    if (depth > maxDepth) throw new GraphQLError(`The query is nested deeper than ${maxDepth} levels.`)
    for (const selection of selections) {
      if (++fields > maxFields) throw new GraphQLError(`The query has more than ${maxFields} fields.`)
      if (selection.kind !== Kind.FRAGMENT_SPREAD) {
        if (selection.selectionSet) walk(selection.selectionSet, depth + 1, within)
        continue
      }
      const name = selection.name.value
      const fragment = fragments.get(name)
      // Validation refuses a fragment within itself.
      if (fragment && !within.includes(name)) walk(fragment.selectionSet, depth + 1, [...within, name])
    }
  }
  walk(selectionSet, 1, [])
}
