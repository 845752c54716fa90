/** Where GraphQL is asked: the caller, the limits and the headers are this wire's, the language is another's. */
import { ok } from '../answer.ts'
import { authenticated } from '../doors.ts'
import { route } from '../route.ts'
import { Shape } from '../schemas.ts'

/** A query with its variables; the longest of the published clients' has 8 KiB. */
const maxBodyBytes = 128 * 1024

export const graphqlRoute = route('POST /graphql', {
  id: 'graphql',
  summary:
    'GraphQL, for reading: `{query, variables, operationName}`. Served at `/api/graphql`, too. It costs points of its own, which are computed from the query before it is answered.',
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
    const { body: answer, rateStatus, cpuMicros = 0 } = await call.answerGraphql(asked)
    call.spend(cpuMicros)
    return { ...ok(answer), ...(rateStatus && { rateStatus }) }
  },
})
