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
import { type Execution, makeFieldScheduler } from './field-scheduler.ts'
import { demandLittleIntrospection } from './introspection.ts'
import { makeGraph } from './nodes/nodes.ts'
import type { Answer, GraphqlNeeds, Question } from './question.ts'
import { readRequest } from './request.ts'
import { makeRoot } from './root.ts'
import { findFaults } from './rules.ts'
import { makeSchema } from './schema/schema.ts'

/** Of one query: what it takes longer than, and holds more than, it is not given. */
const longestMs = 10_000
const maxCpuMicros = 5_000_000
const maxFields = 500_000
const maxBytes = 16 * 1024 * 1024
/** Quotes, colon and comma of a member, and the brackets of what it holds. */
const punctuation = 6

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
  const schedule = makeFieldScheduler()

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
    demandLittleIntrospection(schema, parsed, coerced)
    const rateStatus = await limits.chargePrimary(question.caller, 'graphql', cost.points)
    const { actor, origin } = question
    const graph = makeGraph(makeContext({ forge, actor, origin, clock }))
    const { result, cpuMicros } = await run(parsed, given, makeRoot(graph, cost, rateStatus), question.hasLeft)
    return { body: present(result), rateStatus, cpuMicros }
  }

  async function run(
    { document, operation }: ParsedQuery,
    variableValues: object,
    rootValue: object,
    hasLeft: Question['hasLeft'],
  ) {
    const ended = Promise.withResolvers<ExecutionResult>()
    const deadline = clock.now() + longestMs
    const end = (failure: Failure) => {
      execution.end()
      ended.resolve({ data: null, errors: [new GraphQLError(failure.message, { originalError: failure })] })
    }
    const execution = schedule(({ spent }) => {
      if (hasLeft()) end(gone)
      else if (spent > maxCpuMicros || clock.now() > deadline) end(tooLong)
    })
    const executed = execution.run(() =>
      execute({
        schema,
        document,
        rootValue,
        variableValues: variableValues as Record<string, unknown>,
        operationName: operation.name?.value ?? null,
        fieldResolver: makeBoundedResolver(execution, () => end(tooMuch)),
      }),
    )
    const result = await Promise.race([executed, ended.promise])
    execution.end()
    return { result, cpuMicros: execution.spent }
  }

  /** Every field is counted: what the cost allows may still be more than one answer should hold. */
  function makeBoundedResolver(execution: Execution, end: () => void): GraphQLFieldResolver<unknown, unknown> {
    let fields = 0
    let bytes = 0
    const count = (value: unknown): unknown => {
      bytes += measure(value)
      if (bytes > maxBytes) end()
      return value
    }
    return (source, args, context, info) =>
      execution.run(() => {
        bytes += Buffer.byteLength(String(info.path.key)) + punctuation
        if (++fields > maxFields) end()
        const value = defaultFieldResolver(source, args, context, info)
        return value instanceof Promise ? value.then(count) : count(value)
      })
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

/** As JSON has it: characters of several bytes and escapes count as what they come to. */
function measure(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(JSON.stringify(value))
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + measure(each) + 1, 2)
  return 4
}

const gone = new Failure('unavailable', 'gone', 'The client has left.')
const tooMuch = new Failure('limited', 'too-much', 'Resource limits for this query exceeded: ask for less at once.')
const tooLong = new Failure(
  'limited',
  'too-long',
  'This query takes longer than ten seconds, or five of the processor: ask for less at once.',
)
