/**
 * A mutation: its input and payload as in the published schema, what it is charged as, and the forge function that it
 * calls.
 */
import type { Graph } from '../graph.ts'
import type { MutationServices } from './mutation-services.ts'

/**
 * The graph that a mutation reads and answers from. Each mutation has its own, so that none shows cached data from
 * before it.
 */
export type Acting = Graph & { readonly acts: MutationServices }

export type Mutation = {
  /** Fields of its input, except `clientMutationId`, which all have. */
  readonly input: string
  /** Fields of its payload, likewise. */
  readonly payload: string
  /** Others will see what it creates, so it is charged as content. */
  readonly createsContent: boolean
  /** The longest texts of its input by field; `input.ts` has the defaults. */
  readonly lengths: Readonly<Record<string, number>>
  act(graph: Acting, input: never): Promise<object>
}

type Definition<I> = {
  readonly input: string
  readonly payload?: string
  readonly createsContent?: boolean
  readonly lengths?: Readonly<Record<string, number>>
  act(graph: Acting, input: I): Promise<object>
}

export const mutation = <I>({
  input,
  payload = '',
  createsContent = false,
  lengths = {},
  act,
}: Definition<I>): Mutation => ({
  input,
  payload,
  createsContent,
  lengths,
  act,
})

export type Mutations = Readonly<Record<string, Mutation>>
export type Maybe<T> = T | null | undefined
