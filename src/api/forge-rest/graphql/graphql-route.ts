/** Where GraphQL is asked: the caller, the limits and the headers are this interface's, the language is another's. */
import { ok } from '../answer.ts'
import { authenticated } from '../doors.ts'
import { type AnswerGraphql, type Route, route } from '../route.ts'
import { Shape } from '../schemas.ts'

/** Files that a mutation commits come as Base64, as over REST; all else is bounded once it is known what it is. */
const maxBodyBytes = 42 * 1024 * 1024

export const graphqlRoute = (answerGraphql: AnswerGraphql): Route =>
  route('POST /graphql', {
    id: 'graphql',
    summary:
      'GraphQL: `{query, variables, operationName}`. Also served at `/api/graphql`. It has its own points, which are computed before the query runs.',
    door: authenticated,
    limit: 'graphql',
    points: 1,
    // Its cost is known once it is read.
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
