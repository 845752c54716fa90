/** Every mutation, and the root object from which a document's mutations are executed. */

import { asPerson } from '../../../forge/person.ts'
import type { GraphContext } from '../context.ts'
import { makeGraph } from '../nodes/nodes.ts'
import { gitMutations } from './git-mutations.ts'
import { demandBoundedInput } from './input.ts'
import { issueMutations } from './issue-mutations.ts'
import { linkedBranchMutations } from './linked-branch-mutations.ts'
import type { Acting, Mutations } from './mutation.ts'
import type { MutationServices } from './mutation-services.ts'
import { pullMutations } from './pull-mutations.ts'
import { reactionMutations } from './reaction-mutations.ts'
import { repositoryMutations } from './repository-mutations.ts'
import { reviewMutations } from './review-mutations.ts'
import { subjectMutations } from './subject-mutations.ts'
import { threadMutations } from './thread-mutations.ts'

export const mutations: Mutations = {
  ...issueMutations,
  ...linkedBranchMutations,
  ...subjectMutations,
  ...pullMutations,
  ...reviewMutations,
  ...threadMutations,
  ...gitMutations,
  ...repositoryMutations,
  ...reactionMutations,
}

const upperFirst = (name: string) => name[0]!.toUpperCase() + name.slice(1)

/** Their part of the schema: one input and one payload type each, as in the published one. */
export const mutationTypes = (): string => {
  const types = Object.entries(mutations).map(([name, { input, payload }]) => {
    const type = upperFirst(name)
    return `input ${type}Input { clientMutationId: String ${input} }\ntype ${type}Payload { clientMutationId: String ${payload} }`
  })
  const fields = Object.keys(mutations).map(
    (name) => `${name}(input: ${upperFirst(name)}Input!): ${upperFirst(name)}Payload`,
  )
  return `${types.join('\n')}\ntype Mutation {\n${fields.join('\n')}\n}`
}

type Input = { readonly clientMutationId?: string | null }

type Needs = {
  readonly acts: MutationServices
  makeContext(): GraphContext
  /** The time of a mutation does not count as the query's own. */
  time<T>(act: Promise<T>): Promise<T>
}

/** The library executes mutations in order; each sees the effects of those before it. */
export function makeMutationRoot({ acts, makeContext, time }: Needs) {
  return Object.fromEntries(
    Object.entries(mutations).map(([name, { act, lengths }]) => [
      name,
      async ({ input }: { input: Input }) => {
        demandBoundedInput(input, lengths)
        const graph: Acting = { ...makeGraph(makeContext()), acts }
        const payload = await time(act(graph, input as never))
        const actor = () => graph.make.person(asPerson(graph.actor.account))
        return { actor, ...payload, clientMutationId: input.clientMutationId ?? null }
      },
    ]),
  )
}
