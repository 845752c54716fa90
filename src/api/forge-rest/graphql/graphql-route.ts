/** The route of GraphQL: the caller, limits and headers are handled as in REST, the query by `forge-graphql`. */

import { authenticated } from '../doors.ts'
import { ok } from '../rest-answer.ts'
import { type AnswerGraphql, type Route, route } from '../route.ts'
import { Shape } from '../schemas.ts'

/** Room for the Base64 files of a mutation, as over REST; everything else is bounded once the query is parsed. */
const maxBodyBytes = 42 * 1024 * 1024

export const graphqlRoute = (answerGraphql: AnswerGraphql): Route =>
  route('POST /graphql', {
    id: 'graphql',
    summary:
      'GraphQL: `{query, variables, operationName}`. Also served at `/api/graphql`. It has its own points, which are computed before the query runs.',
    door: authenticated,
    limit: 'graphql',
    points: 1,
    // The cost is known only after the query is parsed.
    isFree: true,
    spansOrganisations: true,
    resource: 'Query',
    maxBodyBytes,
    body: Shape({}),
    async handle(call) {
      const { target: actor, caller, body, view } = call
      const { origin } = view
      const asked = { actor, caller, origin, body, hasLeft: () => call.hasLeft() }
      const { body: answer, rateStatus, cpuMicros = 0 } = await answerGraphql(asked)
      call.spend(cpuMicros)
      return { ...ok(answer), ...(rateStatus && { rateStatus }) }
    },
  })
