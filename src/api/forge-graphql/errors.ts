/** Errors in GraphQL's format: a message, the place in the query and in the response, and a type for programs. */
import { GraphQLError } from 'graphql'
import { Failure, type FailureKind } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'

export type ErrorAnswer = {
  readonly type?: string
  readonly path?: readonly (string | number)[]
  readonly locations?: readonly object[]
  readonly extensions?: object
  readonly message: string
}

/** More errors than this don't help anybody. */
const maxErrors = 50

/** An error for a query that asks for too much at once. */
export const limitError = (type: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { type } })

const types: Partial<Record<FailureKind, string>> = {
  'not-found': 'NOT_FOUND',
  forbidden: 'FORBIDDEN',
  unauthenticated: 'FORBIDDEN',
  invalid: 'UNPROCESSABLE',
  limited: 'RESOURCE_LIMITS_EXCEEDED',
  unavailable: 'SERVICE_UNAVAILABLE',
}

/** Codes for which the public platform has a type of its own. */
const typesByCode: Readonly<Record<string, string>> = { 'stale-data': 'STALE_DATA' }

export const presentErrors = (errors: readonly GraphQLError[], requestLog: Log): ErrorAnswer[] =>
  errors.slice(0, maxErrors).map((error) => presentError(error, requestLog))

function presentError(error: GraphQLError, log: Log): ErrorAnswer {
  const { path, locations, originalError: thrown } = error
  const place = { ...(path && { path }), ...(locations && { locations }) }
  if (!thrown || thrown instanceof GraphQLError) {
    const { type } = (thrown ?? error).extensions as { type?: string }
    return { ...(type && { type }), ...place, message: error.message }
  }
  const cause = explainOutage(thrown)
  if (!(cause instanceof Failure)) {
    log.error({ err: thrown }, 'a field of a GraphQL query failed')
    return { type: 'INTERNAL', ...place, message: 'Something went wrong while executing your query: try again.' }
  }
  const { signOnFor } = cause.detail
  return {
    type: typesByCode[cause.code] ?? types[cause.kind] ?? 'UNPROCESSABLE',
    ...place,
    ...(signOnFor !== undefined && { extensions: { saml_failure: true } }),
    message: cause.detail.faults?.[0]?.reason ?? cause.message,
  }
}
