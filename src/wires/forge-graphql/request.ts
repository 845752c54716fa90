/** The body of a request: a query, its variables, and which of its operations is meant. */
import { GraphQLError } from 'graphql'

export type GraphqlRequest = {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

export function readRequest(body: unknown): GraphqlRequest {
  const { query, variables, operationName } = body as Record<string, unknown>
  if (typeof query !== 'string' || query.trim() === '')
    throw new GraphQLError('A query attribute must be specified and must be a string.')
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    throw new GraphQLError('operationName must be a string.')
  return { query, variables: readVariables(variables), operationName: operationName || undefined }
}

/** Some clients send them as text. */
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
