/** A mutation: its input and its payload as the published schema has them, what it counts as, and the act of the forge that it is. */
import type { Graph } from '../graph.ts'
import type { MutationServices } from './mutation-services.ts'

/** The graph that a mutation acts on and answers with; each has its own, so that none shows what was so before it. */
export type Acting = Graph & { readonly acts: MutationServices }

export type Mutation = {
  /** Fields of its input, but for `clientMutationId`, which all have. */
  readonly input: string
  /** Fields of its payload, likewise. */
  readonly payload: string
  /** It makes what others will see, and counts as such. */
  readonly createsContent: boolean
  /** The longest texts of its input, by field; others see `input.ts`. */
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
