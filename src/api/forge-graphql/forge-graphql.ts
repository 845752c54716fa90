/** GraphQL over the forge. The library and the schema are loaded at the first query. */
import type { GraphqlAnswer, GraphqlNeeds, GraphqlRequest } from './graphql-request.ts'

type Execute = (question: GraphqlRequest) => Promise<GraphqlAnswer>

export function makeGraphql(needs: GraphqlNeeds): Execute {
  let executing: Promise<Execute> | undefined
  return async (question) => {
    executing ??= import('./executing.ts')
      .then(({ makeExecuting }) => makeExecuting(needs))
      .catch((error) => {
        executing = undefined
        throw error
      })
    return (await executing)(question)
  }
}
