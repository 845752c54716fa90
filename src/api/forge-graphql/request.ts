/** The body of a request: a query, its variables, and the name of the operation to run. */
import { GraphQLError, Kind, type OperationDefinitionNode, type TypeNode } from 'graphql'

/** Longest query text, in characters. The published clients' longest has 8 KiB; a query may contain literal texts. */
const maxQueryLength = 1024 * 1024
/** The parser, and the code that computes positions, take a second for a mebibyte of line breaks. */
const maxQueryLines = 20_000

export type GraphqlRequest = {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

export function readRequest(body: unknown): GraphqlRequest {
  const { query, variables, operationName } = body as Record<string, unknown>
  if (typeof query !== 'string' || query.trim() === '')
    throw new GraphQLError('A query attribute must be specified and must be a string.')
  if (query.length > maxQueryLength)
    throw new GraphQLError(`The query is longer than ${maxQueryLength} characters: send long texts as variables.`)
  if (hasMoreLines(query, maxQueryLines))
    throw new GraphQLError(`The query has more than ${maxQueryLines} lines: send long texts as variables.`)
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw new GraphQLError('operationName must be a string.')
  return { query, variables: readVariables(variables), operationName: operationName || undefined }
}

function hasMoreLines(text: string, most: number): boolean {
  let lines = 1
  for (const _ of text.matchAll(/\r\n?|\n/g)) if (++lines > most) return true
  return false
}

/** All variables together, in characters: a mutation may have long texts, and a commit whole files. */
const maxQueryVariables = 128 * 1024
const maxMutationVariables = 2 * 1024 * 1024
const maxParts = 50_000
const maxDepth = 20

/** Inputs of these types hold files in Base64; the limit of the body bounds their length. */
const fileTypes: ReadonlySet<string> = new Set([
  ...['CreateCommitOnBranchInput', 'FileChanges', 'FileAddition', 'Base64String'],
])

export function demandShortVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  isMutation: boolean,
): void {
  const most = isMutation ? maxMutationVariables : maxQueryVariables
  const holdFiles = new Set(
    variableDefinitions.filter(({ type }) => fileTypes.has(nameType(type))).map(({ variable }) => variable.name.value),
  )
  let length = 0
  let parts = 0
  const walk = (value: unknown, holdsFiles: boolean, depth: number): void => {
    if (++parts > maxParts || depth > maxDepth) throw new GraphQLError('The variables have too many parts.')
    if (typeof value === 'string') length += holdsFiles && isMutation ? 0 : value.length
    if (length > most) throw new GraphQLError(`The variables are longer than ${most} characters.`)
    if (typeof value !== 'object' || value === null) return
    for (const inner of Object.values(value)) walk(inner, holdsFiles, depth + 1)
  }
  for (const [name, value] of Object.entries(variables)) walk(value, holdFiles.has(name), 0)
}

const nameType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameType(type.type))

/** Some clients send variables as a JSON text. */
function readVariables(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null || given === '') return {}
  const value = typeof given === 'string' ? parse(given) : given
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new GraphQLError('variables must be an object, or the JSON text of one.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new GraphQLError('Problems parsing the JSON of variables.')
  }
}
