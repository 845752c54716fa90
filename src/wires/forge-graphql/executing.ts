/** From a query's text to its answer: parsed, bounded, validated, charged by its cost, then executed field by field. */
import {
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  getVariableValues,
  OperationTypeNode,
} from 'graphql'
import { Failure } from '../../base/failure.ts'
import { makeContext } from './context.ts'
import { computeCost } from './cost.ts'
import { type ParsedQuery, parseQuery } from './document.ts'
import { presentErrors } from './errors.ts'
import { makeGraph } from './nodes/nodes.ts'
import type { Answer, GraphqlNeeds, Question } from './question.ts'
import { readRequest } from './request.ts'
import { makeRoot } from './root.ts'
import { findFaults } from './rules.ts'
import { makeSchema } from './schema/schema.ts'

/** Of one query: what it takes longer than, and holds more than, it is not given. */
const longestMs = 10_000
const maxFields = 500_000
const maxText = 16 * 1024 * 1024

/** What five points are for: a mutation costs them, though there is none to make. */
const mutationCharge = {
  resource: 'graphql',
  endpoint: 'POST /graphql',
  points: 4,
  createsContent: false,
  primary: 'free',
} as const

export function makeExecuting({ forge, limits, log, clock }: GraphqlNeeds) {
  const schema = makeSchema()

  async function answer(question: Question): Promise<Answer> {
    const { query, variables: given, operationName } = readRequest(question.body)
    const parsed = parseQuery(query, operationName)
    const { operation } = parsed
    if (operation.operation === OperationTypeNode.MUTATION) {
      const { leave } = await limits.admit(question.caller, mutationCharge)
      leave(0)
    }
    if (operation.operation !== OperationTypeNode.QUERY)
      throw new GraphQLError(`A ${operation.operation} is not served here: GraphQL is for reading, write over REST.`)
    const faults = findFaults(schema, parsed)
    if (faults.length > 0) return { body: { errors: presentErrors(faults, log) }, rateStatus: undefined }
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], given, { maxErrors: 10 })
    if (!coerced) return { body: { errors: presentErrors(errors, log) }, rateStatus: undefined }
    const cost = computeCost(schema, parsed, coerced)
    const rateStatus = await limits.chargePrimary(question.caller, 'graphql', cost.points)
    const { actor, origin } = question
    const graph = makeGraph(makeContext({ forge, actor, origin, clock }))
    const result = await run(parsed, given, makeRoot(graph, cost, rateStatus))
    return { body: present(result), rateStatus }
  }

  async function run({ document, operation }: ParsedQuery, variableValues: object, rootValue: object) {
    return execute({
      schema,
      document,
      rootValue,
      variableValues: variableValues as Record<string, unknown>,
      operationName: operation.name?.value ?? null,
      fieldResolver: makeBoundedResolver(clock.now() + longestMs),
    })
  }

  /** Every field is counted: what the cost allows may still be more than one answer should hold. */
  function makeBoundedResolver(deadline: number): GraphQLFieldResolver<unknown, unknown> {
    let fields = 0
    let text = 0
    return (source, args, context, info) => {
      if (++fields > maxFields || text > maxText) throw tooMuch
      if (fields % 100 === 1 && clock.now() > deadline) throw tooLong
      const value = defaultFieldResolver(source, args, context, info)
      if (typeof value === 'string') text += value.length
      return value
    }
  }

  const present = ({ data, errors }: ExecutionResult) => ({
    data: data ?? null,
    ...(errors && { errors: presentErrors(errors, log) }),
  })

  return async (question: Question): Promise<Answer> => {
    try {
      return await answer(question)
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      return { body: { errors: presentErrors([error], log) }, rateStatus: undefined }
    }
  }
}

const tooMuch = new Failure('limited', 'too-much', 'Resource limits for this query exceeded: ask for less at once.')
const tooLong = new Failure('limited', 'too-long', 'This query takes longer than ten seconds: ask for less at once.')
