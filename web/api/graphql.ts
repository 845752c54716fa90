/** The forge's GraphQL, for data that REST does not offer. */
import { Fault } from './fault.ts'
import { send } from './forge.ts'

type Answer<T> = {
  readonly data?: T
  readonly errors?: readonly { readonly type?: string; readonly message: string }[]
}

export async function queryGraphql<T>(query: string, variables: Readonly<Record<string, unknown>>): Promise<T> {
  const { data, errors = [] } = await send<Answer<T>>('POST', '/graphql', { query, variables })
  const [first] = errors
  if (first) throw new Fault(first.type === 'NOT_FOUND' ? 404 : 422, first.message)
  return data!
}
